// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/machine/warp.h"
#include "simulator/program/traits.h"

/// What is ordered before what inside one launch. A block's clock ticks at every barrier, warp barrier and
/// publication; an access is stamped with it. Where the truth would be expensive, more is taken as ordered
/// than is: a race may be missed, none is invented.
namespace roofline::sim {

/// Who accessed something, and when.
struct Stamp {
  u32 block = 0;
  u32 clock = 0;  ///< of its block; 0: nobody
  u32 instruction = 0;
  u16 thread = 0;  ///< in its block
  u8 strength = 0;
  bool pending : 1 = false;      ///< an asynchronous copy that has not been waited for
  bool block_scope : 1 = false;  ///< atomic for the threads of its block only
};

/// An access that makes order: atomic, volatile, acquire, release.
inline bool strong(const Stamp& stamp) { return stamp.strength != static_cast<u8>(Strength::kPlain); }
inline bool is_volatile(const Stamp& stamp) { return stamp.strength == static_cast<u8>(Strength::kVolatile); }

/// For each warp of a block, the clock before which its accesses are ordered before some warp.
using WarpClocks = std::vector<u32>;

/// Publications of a block: at clock `tick` it made visible, to those of its own threads that acquire later
/// than `time`, what it had done before clock `fenced_for_block`, and to other blocks what it had done before
/// clock `fenced`, as far as barriers had ordered it before the publishing warp.
struct Publication {
  u32 tick, fenced_for_block, fenced, warp;
  bool block_scope;  ///< nothing to other blocks
  u64 time;
  /// Of the publishing warp. Nothing where it had acquired something through memory, which may order more.
  std::shared_ptr<const WarpClocks> known;
};

/// What is taken for granted to see what is missing.
enum class Suppose : u8 { kNothing, kFences, kBarriers };

/// What the warps of one running block know of each other.
class BlockOrder {
 public:
  BlockOrder(u32 block, u32 warps);

  u32 block() const { return block_; }
  u32 clock() const { return clock_; }
  /// Before this clock everything of the block is ordered before all of its warps.
  u32 all_met() const { return all_met_; }

  /// Lanes of a warp have met: what each did before is ordered before what the others do next.
  void warp_met(u32 warp, u32 lanes);
  /// A warp arrives at a barrier, and does or does not wait there.
  void arrive(u32 warp, u8 barrier);
  /// The barrier is complete; `waiting` has a bit for each warp that waited.
  void complete(u8 barrier, u32 waiting);
  /// What the block did before may be published, to its own threads or to other blocks too. Taken for all of
  /// its threads: a fence of one covers what barriers have ordered before it, and who has fenced has rarely
  /// forgotten another. For its own threads each barrier is a fence.
  void fence(Fence reach) {
    if (reach == Fence::kNone) return;
    fenced_for_block_ = ++clock_;
    if (reach == Fence::kWider) fenced_ = clock_;
  }
  /// The warp has made what it knows visible through memory, at `time`. `other_barriers`: it may have met
  /// others where this does not see it.
  void publish(u32 warp, u64 time, bool block_scope, bool other_barriers);
  /// What the block did before is there for its cluster.
  void meet_cluster(u64 time) {
    fence(Fence::kWider);
    publish(0, time, false, true);
  }
  void acquire(u32 warp, u64 time) { acquired_[warp] = std::max(acquired_[warp], time); }

  /// Whether an access of this block by another thread is ordered before lane `lane` of `warp` now, by
  /// barriers.
  bool by_barrier(const Stamp& before, u32 warp, u32 lane) const {
    const u32 other = before.thread / kWarpSize;
    if (before.clock < known_[warp * warps_ + other]) return true;
    return other == warp && lanes_[warp] != nullptr &&
           before.clock < (*lanes_[warp])[lane * kWarpSize + before.thread % kWarpSize];
  }
  u64 acquired(u32 warp) const { return acquired_[warp]; }
  const std::vector<Publication>& publications() const { return publications_; }

 private:
  using LaneClocks = std::array<u32, u64{kWarpSize} * kWarpSize>;
  struct Meeting {
    std::vector<u32> known;  ///< by warp
    u64 acquired = 0;
  };

  u32 block_, warps_;
  u32 clock_ = 1, all_met_ = 0, fenced_for_block_ = 0, fenced_ = 0;
  std::vector<u32> known_;  ///< [a * warps + b]: accesses of warp b before this clock are ordered before a
  std::vector<std::shared_ptr<const WarpClocks>> rows_;  ///< of known_, by warp, for its publications
  std::vector<std::unique_ptr<LaneClocks>> lanes_;       ///< the same between lanes, where parts of warps met
  std::vector<u64> acquired_;
  std::array<Meeting, 16> meetings_;
  std::vector<Publication> publications_;
};

/// All blocks of a launch.
class LaunchOrder {
 public:
  void reset() {
    time_ = 1;
    ended_.clear();
  }
  u64 time() const { return time_; }
  u64 next_time() { return ++time_; }
  /// Keeps what later blocks must know of one that has ended.
  void ended(const BlockOrder& block) {
    if (!block.publications().empty()) ended_[block.block()] = block.publications();
  }
  /// Whether an access of any block is ordered before `warp` of the block `now`, through memory; or were if
  /// every publication came behind a fence, or a barrier of its block.
  static bool by_memory(const Stamp& before, const BlockOrder& now, u32 warp,
                        const std::vector<Publication>* published, Suppose suppose = Suppose::kNothing);
  const std::vector<Publication>* publications_of(u32 block) const {
    const auto found = ended_.find(block);
    return found == ended_.end() ? nullptr : &found->second;
  }

 private:
  u64 time_ = 1;
  std::unordered_map<u32, std::vector<Publication>> ended_;
};

}  // namespace roofline::sim
