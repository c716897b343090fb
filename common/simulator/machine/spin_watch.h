// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <vector>

#include "simulator/machine/block.h"
#include "simulator/machine/time_order.h"

namespace roofline::sim {

/// Notices that the blocks which take turns only wait: every one of them polled memory many times on end
/// or stood at its cluster's barrier, and none stored, did an atomic operation, passed a barrier or ended.
/// Then others go on, where there are any (Grid::others); where there are none, or they change nothing, it is
/// a deadlock. They go on now and then, too, while a kernel that has looked at the host's memory is at work:
/// it may do more than wait. Kernels that read a clock may be waiting for time to pass, those that share
/// memory for another process, and those that look at the host's memory for host code: they are not reported
/// until all others are gone.
class SpinWatch {
 public:
  SpinWatch(const Grid& grid, const bool& shares_memory) : grid_(grid), shares_memory_(shares_memory) {}

  /// What a block accessed in its turn, before after_turn.
  void note(const Block& block);
  /// A block has had its turn of `used` instructions. Throws TrapException (kDeadlock) in the name of the
  /// oldest block.
  void after_turn(const Block& block, u64 used, const std::vector<BlockRunner*>& resident,
                  bool last_of_round);
  /// The same for blocks that run in the order of time; the block is back in there.
  void after_turn(const Block& block, TimeOrder& order);
  /// A block began or ended.
  void reset() {
    idle_polls_ = 0;
    moved_ = true;
    begin_round();
  }

 private:
  static constexpr u64 kMany = 256;  ///< polls in one round; also when no block ran

  /// Polls of each of so many blocks until others go on, or until it is a deadlock where there are none.
  u64 patience(u64 blocks) const;
  /// The same when all blocks sleep, and wake to look again.
  u64 patience_asleep(u64 blocks) const;
  bool watches() const { return grid_.kernel->may_spin && (grid_.others != nullptr || reports()); }
  /// Whether it is a deadlock when nobody changes memory.
  bool reports() const { return !grid_.kernel->uses_clock && !shares_memory_; }
  /// Whether others had no turn for long, and host code may be among them.
  bool is_overdue() const;
  /// Gives the others a turn.
  Others let_others_go_on();
  /// The same while all blocks wait. `asleep`: nothing but memory can end their waits.
  void wait(const Block& oldest, u64 blocks, bool asleep = false);

  void begin_round() {
    all_spun_ = true;
    fewest_polls_ = kMany;
  }

  const Grid& grid_;
  const bool& shares_memory_;  ///< other processes may change what all wait for
  bool host_ = false;          ///< somebody has looked at the host's memory
  bool moved_ = true;          ///< somebody did more than look since others went on last
  bool all_spun_ = true;
  u64 fewest_polls_ = kMany;  ///< of a block in the present round
  u64 seen_ = 0;
  u64 idle_polls_ = 0;  ///< of each block since one of them changed something
  u64 sleeps_ = 0;      ///< of all blocks when others went on last
  std::chrono::steady_clock::time_point others_went_on_ = std::chrono::steady_clock::now();
};

}  // namespace roofline::sim
