// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "simulator/program/instruction.h"

namespace roofline::sim {

/// What one warp, or one block, or one SM did, by the resource that did it. Counted for every warp of a
/// launch, so that no warp is too few to be seen (timing/busiest.h).
struct ResourceUse {
  /// Issue slots by pipe come first, at the pipe's own number; the Tensor Cores' are clocks of an SM's,
  /// each of kTensorUnit, so that types of different rates add up.
  enum Resource : size_t {
    kIssue = static_cast<size_t>(Pipe::kCount),  ///< issue slots of all pipes but the Tensor Cores
    kL1Passes,                                   ///< of L1's data path ...
    kL1Transfers,                                ///< ... and the 128 bytes that it hands over each time
    kSharedWavefronts,
    kReadSectors,      ///< that came from L2 ...
    kWrittenSectors,   ///< ... and went there
    kLoadedRegisters,  ///< that wait for an answer from beyond L1
    kCount
  };
  std::array<u64, kCount> of{};

  u64& operator[](size_t resource) { return of[resource]; }
  u64 operator[](size_t resource) const { return of[resource]; }
  bool operator==(const ResourceUse&) const = default;
  void add(const ResourceUse& other) {
    for (size_t i = 0; i < kCount; ++i) of[i] += other.of[i];
  }
  void raise_to(const ResourceUse& other) {
    for (size_t i = 0; i < kCount; ++i) of[i] = of[i] < other.of[i] ? other.of[i] : of[i];
  }
};

inline constexpr u32 kTensorUnit = 64;

/// Every entry is the most that one warp, one block and one SM had to do of that resource, whichever it was;
/// an SM's is what any placement of the blocks leaves to the SM that has most.
struct BusiestUse {
  ResourceUse warp, block, sm;
};

}  // namespace roofline::sim
