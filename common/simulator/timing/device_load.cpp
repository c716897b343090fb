// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/device_load.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

namespace roofline::sim {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
/// Sums of shares that make one, such as ten tenths, may be off by so much.
constexpr double kRounding = 1e-9;

}  // namespace

DeviceLoad::Steps::const_iterator DeviceLoad::at(double moment) const {
  const auto after = steps_.upper_bound(moment);
  return after == steps_.begin() ? steps_.end() : std::prev(after);
}

DeviceLoad::Steps::iterator DeviceLoad::split(double moment) {
  const auto before = at(moment);
  return steps_.try_emplace(moment, before == steps_.end() ? Taken{} : before->second).first;
}

double DeviceLoad::first_fit(double ready, double seconds, double block_slots) const {
  double start = ready;
  const auto present = at(ready);
  for (auto it = present == steps_.end() ? steps_.begin() : present; it != steps_.end(); ++it) {
    if (it->first >= start + seconds) break;
    if (it->second.block_slots + block_slots <= 1 + kRounding) continue;
    const auto next = std::next(it);
    if (next == steps_.end()) break;  // nothing is taken from there on: no work needs more than all
    start = std::max(start, next->first);
  }
  return start;
}

template <typename Visit>
void DeviceLoad::walk(double start, double seconds, const DeviceShare& share, Visit visit) const {
  auto next = steps_.upper_bound(start);
  Taken taken;
  if (const auto present = at(start); present != steps_.end()) taken = present->second;
  for (double now = start, left = seconds; left > 0;) {
    const double until = next == steps_.end() ? kForever : next->first;
    const double pace = share.pace_beside(taken.of);
    const double end = pace > 0 && left <= (until - now) * pace ? now + left / pace : until;
    visit(now, end, pace);
    if (end < until) return;
    left -= (until - now) * pace;
    now = until;
    if (next == steps_.end()) return;
    taken = next->second;
    ++next;
  }
}

double DeviceLoad::slowed(double start, double seconds, const DeviceShare& share) const {
  double end = start;
  walk(start, seconds, share, [&end](double, double to, double) { end = to; });
  return end - start;
}

void DeviceLoad::book(double start, double seconds, double held, const DeviceShare& share) {
  struct Stretch {
    double from, to, pace;
  };
  std::vector<Stretch> stretches;
  walk(start, seconds, share, [&stretches](double from, double to, double pace) {
    stretches.push_back({from, to, pace});
  });
  for (const Stretch& stretch : stretches) {
    const auto end = split(stretch.to);
    for (auto it = split(stretch.from); it != end; ++it)
      for (std::size_t i = 0; i < share.of.size(); ++i) it->second.of[i] += share.of[i] * stretch.pace;
  }
  const auto end = split(start + held);
  for (auto it = split(start); it != end; ++it) it->second.block_slots += share.block_slots;
}

void DeviceLoad::forget_before(double moment) {
  const auto present = at(moment);
  if (present != steps_.end()) steps_.erase(steps_.begin(), present);
}

}  // namespace roofline::sim
