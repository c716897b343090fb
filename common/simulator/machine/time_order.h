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
/// at the next of their polls. Blocks that wait for their cluster are in here, too, and have no time until it
/// lets them go on.
class TimeOrder {
 public:
  explicit TimeOrder(const Memory& memory) : memory_(memory) {}

  size_t size() const { return awake_.size() + asleep_.size() + at_barriers_.size(); }
  bool holds(const BlockRunner& runner) const;
  void add(BlockRunner& runner);
  /// Takes out the block that goes on first. Where all sleep they wake first.
  BlockRunner& take_first();
  /// The block has had its turn: it goes on at its due(), sleeps, or waits for its cluster.
  void put_back(BlockRunner& runner);
  /// One of the cluster's blocks is about to go on at a cycle of the kernel: what sleeps of the others has
  /// polled until then, so that they meet at this time.
  void catch_up(const Cluster& cluster, double cycle);
  /// The cluster has news: each of its blocks goes on at its new due().
  void wake(const Cluster& cluster);
  /// Somebody else may have changed memory: who sleeps looks again now.
  void look_again();
  /// All wait for their clusters: nobody will let them go on.
  bool is_stuck() const { return awake_.empty() && asleep_.empty() && !at_barriers_.empty(); }
  /// These were accessed at a cycle of the kernel: wakes who looks at a sector that holds something else now.
  void notice(const std::vector<SectorRun>& runs, double cycle);
  /// How often all slept since one of them did anything else than poll: nobody will change what they wait
  /// for.
  u64 all_slept() const { return all_slept_; }
  /// Of all blocks in here, the one with the lowest number; one that polls before those that wait for their
  /// clusters.
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
  static void catch_up(const Sleeper& sleeper, double cycle);
  void wake(u64 block, double cycle);

  const Memory& memory_;
  std::map<std::pair<double, u64>, BlockRunner*> awake_;  ///< by cycle and number
  std::map<u64, Sleeper> asleep_;                         ///< by number
  std::map<u64, BlockRunner*> at_barriers_;               ///< of clusters, by number
  std::unordered_map<u64, double> dues_;    ///< at which blocks of clusters are in awake_, by number
  std::unordered_map<u64, Watch> watched_;  ///< by sector
  u64 all_slept_ = 0;
};

}  // namespace roofline::sim
