// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/case.h"

#include <algorithm>
#include <string>

namespace roofline::grader {
namespace {

/// Sizes of the cases that vary something else than the size: ragged, several blocks.
constexpr std::uint64_t kRagged = 100'003;
/// One element more than the usual block has threads.
constexpr std::uint64_t kOneMore = 257;

Case sized(const CommonCases& options, std::uint64_t size) {
  Case result;
  result.id = options.size + "-" + std::to_string(size);
  result.title = options.size + " = " + std::to_string(size);
  result.settings = options.fixed;
  result.settings.emplace_back(options.size, static_cast<double>(size));
  return result;
}

}  // namespace

std::string whole(double number) { return std::to_string(static_cast<long long>(number)); }

std::string past_aligned(unsigned elements) {
  return std::to_string(elements) + (elements == 1 ? " element" : " elements") + " past an aligned address";
}

Case misaligned(Case one, unsigned elements) {
  one.id = "misaligned-" + std::to_string(elements);
  one.title = "pointers " + past_aligned(elements);
  one.misaligned_elements = elements;
  return one;
}

std::vector<Case> common_cases(const CommonCases& options) {
  std::vector<std::uint64_t> sizes = options.sizes;
  sizes.insert(sizes.end(), options.more_sizes.begin(), options.more_sizes.end());
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  std::vector<Case> cases;
  for (const std::uint64_t size : sizes) {
    cases.push_back(sized(options, size));
    if (size == 0) cases.back().tells = "an empty array";
    if (size == kOneMore) cases.back().tells = "a last block that is not full";
  }
  for (const unsigned elements : options.misaligned) {
    Case shifted = misaligned(sized(options, kRagged), elements);
    if (elements == options.misaligned[0]) shifted.tells = "unaligned pointers";
    cases.push_back(std::move(shifted));
  }
  if (options.special_values) {
    Case special = sized(options, kRagged);
    special.id = "special";
    special.title = "NaN, infinities, -0 and denormals among the inputs";
    special.special_values = true;
    special.tells = "NaN and infinities";
    cases.push_back(std::move(special));
  }
  if (!options.in_place.empty()) {
    Case in_place = sized(options, kRagged);
    in_place.id = "in-place";
    in_place.title = "in place: " + options.in_place[0].first + " is " + options.in_place[0].second;
    in_place.alias = options.in_place;
    in_place.tells = "calls in place";
    cases.push_back(std::move(in_place));
  }
  return cases;
}

std::vector<Case> operator+(std::vector<Case> left, const std::vector<Case>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace roofline::grader
