// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/block_schedule.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <vector>

namespace roofline::sim {
namespace {

/// What an SM has still to do. All its blocks go on equally fast, so that a common clock of work tells when
/// each ends: where it began plus its work.
struct Sm {
  std::vector<double> ends;  ///< by that clock
  double done = 0;           ///< that clock ...
  double at = 0;             ///< ... at this time
};

}  // namespace

double clocks_of_blocks(const BlockPace& pace, std::span<const u32> work) {
  const auto clocks_a_work = [&](const Sm& sm) {
    const double share = static_cast<double>(sm.ends.size()) / pace.resident;
    return std::max(pace.alone, pace.together * share) / std::max(pace.work, 1.0);
  };
  std::vector<Sm> sms(pace.sms);
  size_t next = 0;
  for (u32 place = 0; place < pace.resident; ++place)
    for (Sm& sm : sms)
      if (next < work.size()) sm.ends.push_back(work[next++]);
  struct Ending {
    double at;
    size_t sm;
    bool operator>(const Ending& other) const { return at > other.at || (at == other.at && sm > other.sm); }
  };
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings;
  const auto expect = [&](size_t index) {
    const Sm& sm = sms[index];
    if (sm.ends.empty()) return;
    const double first = *std::min_element(sm.ends.begin(), sm.ends.end());
    endings.push({sm.at + (first - sm.done) * clocks_a_work(sm), index});
  };
  for (size_t i = 0; i < sms.size(); ++i) expect(i);
  double last = 0;
  std::vector<size_t> changed;  // SMs of which blocks end at the same time
  while (!endings.empty()) {
    last = endings.top().at;
    changed.clear();
    while (!endings.empty() && endings.top().at == last) {
      Sm& sm = sms[endings.top().sm];
      changed.push_back(endings.top().sm);
      endings.pop();
      sm.done = *std::min_element(sm.ends.begin(), sm.ends.end());
      sm.at = last;
      std::erase(sm.ends, sm.done);
    }
    // The next block goes where the fewest are.
    const auto fewer = [&](size_t a, size_t b) { return sms[a].ends.size() < sms[b].ends.size(); };
    while (next < work.size()) {
      Sm& sm = sms[*std::min_element(changed.begin(), changed.end(), fewer)];
      if (sm.ends.size() >= pace.resident) break;
      sm.ends.push_back(sm.done + work[next++]);
    }
    for (const size_t index : changed) expect(index);
  }
  return last;
}

}  // namespace roofline::sim
