// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/machine/block.h"

namespace roofline::sim {

/// The running blocks of a kernel whose blocks wait for each other, in the order of their time: the next is
/// always the one whose next meeting with others (a flag, an atomic, a fence) starts first. So a block sees
/// of the others what it would see on a GPU, each alone on its SM, and waits as long as it would wait there.
///
/// Blocks that only poll sleep until what they look at changes. They count as polling all the same: they wake
/// at the next of their polls.
class TimeOrder {
 public:
  explicit TimeOrder(const Memory& memory) : memory_(memory) {}

  size_t size() const { return awake_.size() + asleep_.size(); }
  bool holds(const BlockRunner& runner) const;
  void add(BlockRunner& runner) { awake_[key(runner)] = &runner; }
  /// Takes out the block that goes on first. Where all sleep they wake first.
  BlockRunner& take_first();
  /// The block has had its turn: it goes on at its due(), or sleeps.
  void put_back(BlockRunner& runner);
  /// These were accessed at a cycle of the kernel: wakes who looks at a sector that holds something else now.
  void notice(const std::vector<SectorRun>& runs, double cycle);
  /// How often all slept since one of them did anything else than poll: nobody will change what they wait
  /// for.
  u64 all_slept() const { return all_slept_; }
  /// Of all blocks in here, the one with the lowest number.
  const Block& oldest() const;

 private:
  struct Sleeper {
    BlockRunner* runner = nullptr;
    double period = 0;  ///< cycles from poll to poll
  };
  struct Watch {
    u64 content = 0;          ///< of the sector, as a hash
    std::vector<u64> blocks;  ///< that look at it, by number; some may have been woken since
  };
  static std::pair<double, u64> key(const BlockRunner& runner);
  void wake(u64 block, double cycle);

  const Memory& memory_;
  std::map<std::pair<double, u64>, BlockRunner*> awake_;  ///< by cycle and number
  std::map<u64, Sleeper> asleep_;                         ///< by number
  std::unordered_map<u64, Watch> watched_;                ///< by sector
  u64 all_slept_ = 0;
};

}  // namespace roofline::sim
