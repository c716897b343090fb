// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "simulator/checks/race_check.h"
#include "simulator/machine/memory.h"
#include "simulator/text.h"

/// What a race is told as.
namespace roofline::sim {

namespace {

constexpr const char* kFence =
    "the flag or counter that stands between the two may be seen before the data is: __threadfence() between "
    "writing the data and writing the flag; a barrier reaches only the block's own threads";

constexpr const char* kBlockFence =
    "the flag or counter that stands between the two may be seen before the data is: __threadfence_block() "
    "between writing the data and writing the flag";

constexpr const char* kScope =
    "an atomic operation with the scope of its block (atomicAdd_block, cuda::thread_scope_block) is none for "
    "other blocks: give both the scope of the device (atomicAdd, cuda::thread_scope_device)";

constexpr const char* kBarrier =
    "the flag or counter that stands between the two is written when other warps of its block may not have "
    "written their data yet: __syncthreads() before it, and a fence";

constexpr const char* kWait =
    "cp.async copies in the background: wait with cp.async.wait_group N (__pipeline_wait_prior), which waits "
    "for all but the last N groups, then __syncthreads() before other threads read";

constexpr const char* kWaitForBarrier =
    "the copy is on its way until the barrier or pipeline that it was given to says that it is there: "
    "consumer_wait(), or wait() of the barrier, before anybody reads or overwrites the bytes";

constexpr const char* kCommit =
    "the copy is in no group, and a wait is one for groups: commit it with cp.async.commit_group "
    "(__pipeline_commit), then wait, then __syncthreads() before other threads read";

// What was copied too early over what others still read looks the same as what they read too early.
constexpr const char* kBarrierAfterWait =
    "a thread waits for its own copies alone: __syncthreads() after the wait (cp.async.wait_group, "
    "__pipeline_wait_prior), before threads read what others copied; and another one when they have read it, "
    "before the next copy into the same place. Is each copy committed before the wait?";

constexpr const char* kVolatile =
    "volatile orders nothing, and threads of a warp do not run in lockstep: put __syncwarp() between the two "
    "accesses, or __syncthreads() where other warps take part";

constexpr const char* kPlainBesideAtomic =
    "an atomic operation of one thread does not protect a plain write of another: what others add to is set "
    "before this kernel, by cudaMemsetAsync or a kernel of its own; any other write is atomic as well "
    "(atomicExch)";

constexpr const char* kOneInstruction =
    "several threads write different values to one address: give each its own element, or use an atomic "
    "operation";

constexpr const char* kTwoWriters =
    "two threads write to one address: give each its own element; where the second value is meant to replace "
    "the first, a barrier between them";

constexpr const char* kSplit =
    "a __syncthreads() in a branch or loop waits only for the threads that come to it: move it to where "
    "every "
    "thread of the block passes";

constexpr const char* kWithinWarp =
    "threads of a warp do not run in lockstep: put __syncwarp() between the two accesses";

constexpr const char* kWithinBlock =
    "put __syncthreads() between the two accesses, where all threads of the block pass";

constexpr const char* kWithinBlockGlobal =
    "put __syncthreads() between the two accesses, or use an atomic operation";

constexpr const char* kBetweenBlocks =
    "blocks run in any order and at the same time: use an atomic operation, give each block its own "
    "elements, "
    "or make two kernels of it";

constexpr const char* kReadBetweenBlocks =
    "blocks run in any order and at the same time: where each changes what it reads, use an atomic "
    "operation; "
    "where one reads what others overwrite, read one array and write another; or make two kernels of it";

}  // namespace

const char* RaceCheck::advice(const Touch& t, const Stamp& before, Hazard hazard, u64 at) const {
  const bool same_block = before.block == t.me.block;
  const bool same_warp = same_block && before.thread / kWarpSize == t.w.index;
  if (hazard == Hazard::kReadAfterTicket) return kFence;
  // Where there are commits, the thread that copies has just not come to its own yet.
  if (before.pending && hands_on_ && (!commits_ || is_handed_on(t, before, at))) return kWaitForBarrier;
  if (before.pending && !is_committed(t, before, at))
    return commits_ && before.thread != t.me.thread ? kBarrierAfterWait : kCommit;
  if (before.pending) return kWait;
  if (!same_block && (before.block_scope || t.me.block_scope)) return kScope;
  if (hazard == Hazard::kAtomicAfterPlain && !same_block) return kPlainBesideAtomic;
  if (same_warp && t.shared && is_volatile(before) && is_volatile(t.me)) return kVolatile;
  const bool one_is_strong = strong(before) != strong(t.me);
  const auto ordered_if = [&](Suppose suppose) {
    return LaunchOrder::by_memory(before, t.state.order, t.w.index, publications_of(before.block), suppose);
  };
  if (ordered_if(Suppose::kFences)) return same_block ? kBlockFence : kFence;
  if (!same_block && ordered_if(Suppose::kBarriers)) return kBarrier;
  if (!same_block && hazard != Hazard::kWriteAfterWrite) return kReadBetweenBlocks;
  if (!same_block) return one_is_strong ? kPlainBesideAtomic : kBetweenBlocks;
  if (before.instruction == t.me.instruction && before.clock == t.me.clock) return kOneInstruction;
  if (same_warp && (t.state.split_warps >> t.w.index % 32 & 1U) != 0) return kSplit;
  if (hazard == Hazard::kWriteAfterWrite && !one_is_strong) return kTwoWriters;
  if (same_warp) return kWithinWarp;
  return t.shared ? kWithinBlock : kWithinBlockGlobal;
}

/// Whether the copy that a thread still waits for is in a group that it can wait for.
bool RaceCheck::is_committed(const Touch& t, const Stamp& before, u64 at) {
  const auto of_thread = t.state.copies.find(before.thread);
  if (of_thread == t.state.copies.end()) return true;
  for (const PendingCopy& copy : of_thread->second.pending)
    if (at - copy.address < copy.width && copy.group >= of_thread->second.committed) return false;
  return true;
}

/// Whether an mbarrier tells when the copy is there.
bool RaceCheck::is_handed_on(const Touch& t, const Stamp& before, u64 at) {
  return std::ranges::any_of(t.state.handed_on, [&](const auto& entry) {
    return std::ranges::any_of(entry.second, [&](const PendingCopy& copy) {
      return copy.thread == before.thread && at - copy.address < copy.width;
    });
  });
}

void RaceCheck::seen_again(Finding& finding, const Touch& t, const Stamp& before, Hazard hazard,
                           u64 at) const {
  ++finding.count;
  const bool between_blocks = before.block != t.me.block;
  if (finding.advice == kWithinWarp || (finding.advice == kWithinBlockGlobal && between_blocks))
    finding.advice = advice(t, before, hazard, at);
}

Finding& RaceCheck::report(const Touch& t, const Stamp& before, Hazard hazard, u64 at) {
  const Grid& grid = *grid_;
  const bool same_block = before.block == t.me.block;
  const bool before_writes = hazard != Hazard::kWriteAfterRead,
             now_writes = hazard != Hazard::kReadAfterWrite && hazard != Hazard::kReadAfterTicket;
  const auto who = [&](const Stamp& stamp) {
    std::string text = "thread " + thread_text(grid, stamp.thread);
    if (!same_block) text += " of block " + block_text(grid, stamp.block);
    return text;
  };
  Finding finding;
  finding.check = kCheckRace;
  finding.rule = before.pending                       ? "async-copy"
                 : hazard == Hazard::kReadAfterTicket ? "unfenced-ticket"
                 : t.shared                           ? "shared-memory"
                                                      : "global-memory";
  finding.kernel = readable_name(grid.kernel->name);
  finding.block = block_text(grid, t.me.block);
  finding.thread = thread_text(grid, t.me.thread);
  const std::string first = before.pending ? " copies to (cp.async)" : before_writes ? " writes" : " reads";
  const std::string second = now_writes ? " writes" : " reads";
  const std::string where =
      t.shared ? "shared memory at " + hex(at) : "memory " + grid.memory->explain(at, 1);
  finding.message =
      before.thread == t.me.thread && same_block
          ? who(t.me) + second + " bytes that it copies itself and has not waited for, in " + where
          : who(before) + first + " and " + who(t.me) + second + " the same bytes, with nothing " +
                "that orders them: " + where;
  if (hazard == Hazard::kReadAfterTicket)
    finding.message = who(before) + " writes before its block draws a ticket, with no fence between, and " +
                      who(t.me) + ", of the block with the last ticket, reads the same bytes: " + where;
  if (same_block) finding.message += ", block " + finding.block;
  finding.places = {place_of(*grid.kernel, before.instruction, who(before) + first),
                    place_of(*grid.kernel, t.me.instruction, who(t.me) + second)};
  finding.advice = advice(t, before, hazard, at);
  return findings_.add(std::move(finding));
}

}  // namespace roofline::sim
