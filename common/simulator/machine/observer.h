// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "simulator/machine/access.h"

/// What a check may see of running kernels. A launch without an observer runs the same code as if there were
/// none: the observed variants are chosen when a warp starts to run and where the access path has to analyse
/// a request anyway.
namespace roofline::sim {

/// One request of a warp, before its bounds are checked: it may still trap.
struct ObservedAccess {
  AccessKind kind = AccessKind::kLoad;
  ptx::Space space = ptx::Space::kGlobal;  ///< never kGeneric
  u32 mask = 0;
  u32 width = 0;  ///< bytes a lane
  u64 base = 0;   ///< of the first active lane: an address, or an offset into shared, local, parameter memory
  const AddressPattern* pattern = nullptr;

  u64 address(u32 lane) const { return base + pattern->difference[lane]; }
};

/// Called on the thread that runs the blocks; an observed launch runs on one.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void launch_begins(const Grid&) {}
  virtual void launch_ends(const Grid&) {}
  virtual void block_begins(Block&) {}
  /// Also for blocks that trapped or were cut off.
  virtual void block_ends(Block&) {}
  virtual void access(Warp&, const Instruction&, const ObservedAccess&) {}
  /// Before `active` lanes execute a watched instruction. A `.sync` instruction that has to wait for lanes
  /// comes again when they have met.
  virtual void before(Warp&, const Instruction&, u32 active) { static_cast<void>(active); }
  /// All threads have arrived; fragments that wait at it are still in their warps' lists.
  virtual void barrier_completed(Block&, u8 barrier) { static_cast<void>(barrier); }

  /// The same of a cluster's barrier.
  virtual void cluster_met(const Cluster& cluster) { static_cast<void>(cluster); }
  /// A thread got memory from the heap of kernels, whoever had it before, or gave it back.
  virtual void allocated_on_heap(u64 address, u64 bytes, const std::string& origin) {
    static_cast<void>(address), static_cast<void>(bytes), static_cast<void>(origin);
  }
  virtual void released_on_heap(u64 address) { static_cast<void>(address); }

  /// Set by launch_begins: whether this launch need be observed at all, and whether `access` is wanted.
  bool observes = true, sees_accesses = true;
  /// By Instruction::index of the present launch: which ones `before` is called for.
  std::vector<u8> watched;
};

}  // namespace roofline::sim
