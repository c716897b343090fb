// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "simulator/virtual_clock/real.h"
#include "simulator/virtual_clock/virtual_time.h"

namespace roofline::sim::virtual_clock {

/// Waits until a moment of virtual time: `attempt(nanoseconds)` waits so long in real time and says whether
/// that time ran out. Real time counts only while no thread waits for the machine: what the machine computes
/// takes as long as it takes, and a deadline must not run out meanwhile. A kernel may wait for this very
/// thread, though, so patience ends.
template <class Attempt>
void wait_until(s64 moment, Attempt&& attempt) {
  constexpr s64 kPatience = 30 * kNano, kLeast = 1'000'000;
  const s64 began = real_time(CLOCK_MONOTONIC);
  s64 left = std::max<s64>(0, moment - now());
  const s64 patience = left + kPatience;
  while (attempt(left)) {
    const s64 missing = moment - now();
    if (missing > 0 && machine_is_busy() && real_time(CLOCK_MONOTONIC) - began < patience) {
      left = std::max(missing, kLeast);
      continue;
    }
    advance_to(moment);
    return;
  }
}

/// What a clock will really show in so many nanoseconds.
inline timespec real_deadline(clockid_t clock, s64 left) { return as_timespec(real_time(clock) + left); }

}  // namespace roofline::sim::virtual_clock
