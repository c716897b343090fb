// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/machine/block.h"

namespace roofline::sim {

/// Notices that the blocks which take turns only wait: in many rounds on end every one of them polled memory
/// or stood at its cluster's barrier, and none stored, did an atomic operation, passed a barrier or ended.
/// Kernels that read a clock may be waiting for time to pass, and are left alone.
class SpinWatch {
 public:
  explicit SpinWatch(const Grid& grid) : watches_(grid.kernel->may_spin && !grid.kernel->uses_clock) {}

  /// A block has had its turn of `used` instructions. Throws TrapException (kDeadlock) in the name of the
  /// oldest block.
  void after_turn(const Block& block, u64 used, const std::vector<BlockRunner*>& resident,
                  bool last_of_round);
  /// A block began or ended.
  void reset() { idle_rounds_ = 0, all_spun_ = true; }

 private:
  static constexpr u32 kPatience = 1024;  ///< rounds

  bool watches_;
  bool all_spun_ = true;
  u64 seen_ = 0;
  u32 idle_rounds_ = 0;
};

}  // namespace roofline::sim
