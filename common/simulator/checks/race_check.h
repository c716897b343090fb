// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/checks/code_facts.h"
#include "simulator/checks/findings.h"
#include "simulator/checks/race_shadow.h"
#include "simulator/checks/tickets.h"
#include "simulator/machine/observer.h"

namespace roofline::sim {

/// Races inside one kernel: two threads access the same bytes of shared or global memory, one of them writes,
/// and nothing orders them. Ordered are: a thread's own accesses; what a barrier, a warp barrier or another
/// `.sync` instruction separates; what a chain of strong accesses (atomics, volatile, acquire, release)
/// separates, if a fence, or a release, came before what was written last, and its scope and theirs reach
/// from one to the other. Fences on the side that reads are not asked for. Strong accesses do not race with
/// each other, unless one has the scope of its block and they are of two; but what blocks write before they
/// draw a ticket wants a fence, if the block with the last ticket looks at it. Two plain writes of the same
/// value are not reported.
class RaceCheck {
 public:
  explicit RaceCheck(Findings& findings) : findings_(findings) {}

  void launch_begins(const Grid& grid, const std::vector<Traits>& traits);
  void launch_ends();
  void block_begins(const Block& block);
  void block_ends(const Block& block);
  void access(Warp& w, const Instruction& in, const ObservedAccess& a);
  void before(Warp& w, const Instruction& in, u32 active);
  void barrier_completed(const Block& block, u8 barrier);
  void cluster_met(const Cluster& cluster);
  /// A thread got this memory, whoever had it before.
  void allocated(u64 address, u64 bytes) { global_.forget(address, bytes); }

 private:
  /// An asynchronous copy into shared memory that nobody has waited for.
  struct PendingCopy {
    s64 group;
    u64 address;
    u32 width;
    u32 thread;              ///< that copies
    bool handed_on = false;  ///< to an mbarrier, perhaps to several
  };
  struct ThreadCopies {
    s64 committed = 0;
    std::vector<PendingCopy> pending;
  };
  /// Lanes of a warp that have come to a `.sync` instruction and wait for others that it names.
  struct AtSync {
    u32 lanes = 0;
    std::array<u32, kWarpSize> members{};
  };
  struct BlockState {
    BlockState(u32 id, u32 warps) : order(id, warps), at_sync(warps) {}
    BlockOrder order;
    RaceShadow shared;
    std::vector<AtSync> at_sync;                                  ///< by warp
    std::unordered_map<u32, ThreadCopies> copies;                 ///< by thread
    std::unordered_map<u64, std::vector<PendingCopy>> handed_on;  ///< by the mbarrier that they arrive at
    u32 split_warps = 0;  ///< by bit: they came to a barrier of the block without all their lanes
  };
  enum class Hazard : u8 {
    kReadAfterWrite,
    kWriteAfterRead,
    kWriteAfterWrite,
    kAtomicAfterPlain,  ///< a write after a write, where other atomics have come between the two
    kReadAfterTicket
  };
  /// One lane's part of a request.
  struct Touch {
    Warp& w;
    const Instruction& in;
    BlockState& state;
    Stamp me;
    u32 lane;
    u64 address;  ///< of the lane's first byte
    bool shared, plain_store;
    const ObservedAccess& request;  ///< of the warp
  };

  BlockState& state_of(const Block& block);
  u32 read_words(const Touch& warp, RaceShadow& shadow);
  void touch(const Touch& t, const ObservedAccess& a, RaceShadow& shadow);
  /// Without looking further: nothing to compare with.
  static bool settled(const Touch& t, const Stamp& before) {
    return before.clock == 0 || (before.block == t.me.block && !before.pending &&
                                 (before.clock < t.state.order.all_met() || before.thread == t.me.thread));
  }
  void read(const Touch& t, RaceCell& cell, u64 at);
  void remember_reader(const Touch& t, RaceCell& cell) const {
    Stamp& first = cell.read[0];
    Stamp& second = cell.read[1];
    const bool first_goes = settled(t, first) || (!settled(t, second) && ordered(t, first));
    (first_goes ? first : second) = t.me;
  }
  void write(const Touch& t, RaceCell& cell, u64 at, u32 bytes);
  void follow_tickets(const Touch& t);
  void communicate(const Touch& t, const ObservedAccess& a, u64 address, RaceShadow& shadow);
  void check(const Touch& t, const Stamp& before, Hazard hazard, u64 at, u32 bytes);
  void tell_once(const Touch& t, const Stamp& before, Hazard hazard, u64 at);
  bool ordered(const Touch& t, const Stamp& before) const {
    if (before.pending) return false;
    const BlockOrder& now = t.state.order;
    if (before.block == now.block() && now.by_barrier(before, t.w.index, t.lane)) return true;
    return now.acquired(t.w.index) != 0 && ordered_by_memory(t, before);
  }
  bool ordered_by_memory(const Touch& t, const Stamp& before) const;
  const std::vector<Publication>* publications_of(u32 block) const;
  bool same_value(const Touch& t, const Stamp& before, u64 at, u32 bytes) const;
  Finding& report(const Touch& t, const Stamp& before, Hazard hazard, u64 at);
  /// Where threads of one warp race first, those of several, or of several blocks, may do so later: then that
  /// is what to mend.
  void seen_again(Finding& finding, const Touch& t, const Stamp& before, Hazard hazard, u64 at) const;
  const char* advice(const Touch& t, const Stamp& before, Hazard hazard, u64 at) const;
  static bool is_committed(const Touch& t, const Stamp& before, u64 at);
  static bool is_handed_on(const Touch& t, const Stamp& before, u64 at);
  void met(Warp& w, const u32* members, u32 active);
  template <class Use>
  static void of_copy(RaceShadow& shadow, const PendingCopy& copy, Use use);
  void wait_for_copies(Warp& w, u32 active, s64 groups);
  static void hand_copies_on(BlockState& state, u32 thread, u64 barrier);
  static void wait_for_barrier(BlockState& state, u64 barrier);
  void reach_other_block(const Touch& t, const ObservedAccess& a);

  Findings& findings_;
  const Grid* grid_ = nullptr;
  const std::vector<Traits>* traits_ = nullptr;
  bool clusters_ = false;  ///< blocks of a cluster meet
  bool commits_ = false;   ///< somewhere in the kernel asynchronous copies become a group
  bool hands_on_ = false;  ///< or are given to an mbarrier
  LaunchOrder order_;
  RaceShadow global_;
  Tickets tickets_;
  std::map<const Block*, std::unique_ptr<BlockState>> blocks_;
  std::unordered_map<u32, BlockState*> running_;  ///< the same, by the block's number
  const Block* last_block_ = nullptr;
  BlockState* last_state_ = nullptr;
  /// By instructions, of the present launch; nullptr: harmless.
  std::unordered_map<u64, Finding*> reported_;
};

}  // namespace roofline::sim
