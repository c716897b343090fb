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
  enum Resource : std::size_t { kDram, kL2, kLink, kDataPaths, kPipes, kAtomics, kResources };

  double block_slots = 1;  ///< 1: no other block starts beside it
  std::array<double, kResources> of{};

  /// How much of its pace a kernel keeps beside others that take `used` already: what they leave of the
  /// resource that it lacks most. Nobody gets nothing.
  double pace_beside(const std::array<double, kResources>& used) const {
    constexpr double kLeast = 0.05;
    double pace = 1;
    for (std::size_t i = 0; i < kResources; ++i)
      if (of[i] > 0) pace = std::min(pace, std::max(1 - used[i], kLeast) / of[i]);
    return std::min(pace, 1.0);
  }
};

}  // namespace roofline::sim
