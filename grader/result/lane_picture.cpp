// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/result/lane_picture.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "grader/base/units.h"

namespace roofline::grader {
namespace {

std::string number(double value) { return format_number("%.0f", value); }

/// Different bytes that the lanes ask for.
double used_bytes(const LaneRequest& request) {
  std::set<std::int64_t> bytes;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned byte = 0; request.active(lane) && byte < request.width; ++byte)
      bytes.insert(request.offsets[lane] + byte);
  return static_cast<double>(bytes.size());
}

/// The bank that most different words lie in, and how many.
std::pair<std::int64_t, std::size_t> busiest_bank(const LaneRequest& request) {
  std::map<std::int64_t, std::set<std::int64_t>> words;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned byte = 0; request.active(lane) && byte < request.width; byte += 4) {
      const std::int64_t word = (request.offsets[lane] + byte) / 4;
      words[word % kBanks].insert(word);
    }
  std::pair<std::int64_t, std::size_t> busiest{0, 0};
  for (const auto& [bank, those] : words)
    if (those.size() > busiest.second) busiest = {bank, those.size()};
  return busiest;
}

std::string who(const LaneRequest& request) {
  const int lanes = std::popcount(request.mask);
  return request.what + " of " + std::to_string(request.width) + (request.width == 1 ? " byte" : " bytes") +
         " a lane, " + std::to_string(lanes) + (lanes == 1 ? " lane, " : " lanes, ") + request.place;
}

}  // namespace

std::string lane_sentence(const LaneRequest& request) {
  const std::string does = request.wasteful() ? ", " + number(request.ideal) + " would do" : "";
  if (request.cost == 0) return who(request) + ": it was stopped before memory was reached";
  if (request.shared) {
    std::string text = who(request) + ": " + number(request.cost) +
                       (request.cost == 1 ? " pass over the banks" : " passes over the banks") + does;
    if (const auto [bank, words] = busiest_bank(request); request.wasteful() && words > 1)
      text += "; " + std::to_string(words) + " different words lie in bank " + std::to_string(bank);
    return text;
  }
  const double moved = request.cost * static_cast<double>(kSectorBytes), used = used_bytes(request);
  return who(request) + ": " + number(request.cost) + (request.cost == 1 ? " sector" : " sectors") +
         " of 32 bytes" + does + "; of " + number(moved) + " bytes moved " +
         (used == moved ? "all are used" : number(used) + " are used");
}

std::size_t most_wasteful(const std::vector<LaneRequest>& requests) {
  const auto most = std::ranges::max_element(
      requests, {}, [](const LaneRequest& each) { return each.cost / std::max(1.0, each.ideal); });
  return static_cast<std::size_t>(most - requests.begin()) % std::max<std::size_t>(1, requests.size());
}

}  // namespace roofline::grader
