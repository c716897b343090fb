// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/machine/block.h"
#include "simulator/machine/time_order.h"

namespace roofline::sim {

/// Notices that the blocks which take turns only wait: every one of them polled memory many times on end
/// or stood at its cluster's barrier, and none stored, did an atomic operation, passed a barrier or ended.
/// Kernels that read a clock may be waiting for time to pass, and those that share memory for another
/// process: they are left alone.
class SpinWatch {
 public:
  SpinWatch(const Grid& grid, bool shares_memory)
      : shares_memory_(shares_memory),
        watches_(grid.kernel->may_spin && !grid.kernel->uses_clock && !shares_memory) {}

  /// A block has had its turn of `used` instructions. Throws TrapException (kDeadlock) in the name of the
  /// oldest block.
  void after_turn(const Block& block, u64 used, const std::vector<BlockRunner*>& resident,
                  bool last_of_round);
  /// The same for blocks that run in the order of time; the block is back in there.
  void after_turn(const Block& block, const TimeOrder& order);
  /// A block began or ended.
  void reset() {
    idle_polls_ = 0;
    begin_round();
  }

 private:
  static constexpr u64 kPatience = u64{1} << 18;  ///< polls of each block
  static constexpr u64 kFewestSleeps = 256;       ///< of all blocks at once
  static constexpr u64 kMany = 256;               ///< in one round; also when no block ran

  void begin_round() {
    all_spun_ = true;
    fewest_polls_ = kMany;
  }

  bool shares_memory_ = false;  ///< other processes may change what all wait for
  bool watches_;
  bool all_spun_ = true;
  u64 fewest_polls_ = kMany;  ///< of a block in the present round
  u64 seen_ = 0;
  u64 idle_polls_ = 0;  ///< of each block since one of them changed something
};

}  // namespace roofline::sim
