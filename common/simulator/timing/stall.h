// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <numeric>

#include "simulator/types.h"

namespace roofline::sim {

/// Why a warp did not issue, under the names of NVIDIA's profiler.
enum class Stall : u8 {
  kSelected,         ///< it did
  kNotSelected,      ///< another warp did
  kWait,             ///< a result of known latency
  kShortScoreboard,  ///< shared memory, shuffles, special functions
  kLongScoreboard,   ///< L1 and beyond
  kBarrier,
  kMathPipeThrottle,
  kMioThrottle,  ///< the queue to shared memory is full
  kLgThrottle,   ///< the queue to global memory is full
  kBranchResolving,
  kSleeping,
  kCount
};
inline constexpr size_t kStallCount = static_cast<size_t>(Stall::kCount);

/// "long scoreboard": as the profiler spells it.
const char* name_of(Stall stall);

/// Time of warps by what they did with it.
struct StallTimes {
  std::array<double, kStallCount> of{};

  double& operator[](Stall stall) { return of[static_cast<size_t>(stall)]; }
  double operator[](Stall stall) const { return of[static_cast<size_t>(stall)]; }
  double sum() const { return std::accumulate(of.begin(), of.end(), 0.0); }
  void add(const StallTimes& more) {
    for (size_t i = 0; i < kStallCount; ++i) of[i] += more.of[i];
  }
  void scale(double factor) {
    for (double& time : of) time *= factor;
  }
  bool operator==(const StallTimes&) const = default;
};

}  // namespace roofline::sim
