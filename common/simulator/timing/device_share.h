// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>

namespace roofline::sim {

/// The part of a device that a kernel takes from others beside it, of its block slots and of each resource
/// while it runs; all from 0 to 1.
struct DeviceShare {
  enum Resource : std::size_t {
    kDram,
    kL2,
    kLink,
    kDataPaths,
    kIssue,
    kFma,
    kAlu,
    kHalf,
    kFp64,
    kSfu,
    kControl,
    kTensor,
    kAtomics,
    kResources
  };
  using Parts = std::array<double, kResources>;

  double block_slots = 1;  ///< 1: no other block starts beside it
  Parts of{};

  /// How much of its pace a kernel keeps beside others that take `used`: what they leave of the resource that
  /// it lacks most.
  double pace_beside(const Parts& used) const {
    constexpr double kRounding = 1e-9;  // of sums that make one: nobody goes on with that
    double pace = 1;
    for (std::size_t i = 0; i < kResources; ++i) {
      if (of[i] <= 0) continue;
      const double left = 1 - used[i];
      pace = std::min(pace, left > kRounding ? left / of[i] : 0);
    }
    return pace;
  }
};

}  // namespace roofline::sim
