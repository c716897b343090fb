// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/race_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "simulator/checks/swap_start.h"
#include "simulator/machine/cluster.h"

namespace roofline::sim {

namespace {

template <class Use>
void each_lane_of(u32 mask, Use use) {
  for (; mask != 0; mask &= mask - 1) use(static_cast<u32>(std::countr_zero(mask)));
}

constexpr auto kAllLanes = [] {
  std::array<u32, kWarpSize> members{};
  members.fill(~0u);
  return members;
}();

/// An atomic access whose scope is its block is none for other blocks.
bool out_of_scope(const Stamp& before, const Stamp& now) {
  return before.block != now.block && (before.block_scope || now.block_scope);
}

}  // namespace

void RaceCheck::launch_begins(const Grid& grid, const std::vector<Traits>& traits) {
  grid_ = &grid;
  traits_ = &traits;
  clusters_ = std::ranges::any_of(
      traits, [](const Traits& each) { return each.gathers == Gathers::kClusterBarrier; });
  const auto does = [&](AsyncCopy what) {
    return std::ranges::any_of(traits, [&](const Traits& each) { return each.async_copy == what; });
  };
  commits_ = does(AsyncCopy::kCommit);
  hands_on_ = does(AsyncCopy::kHandOn);
  order_.reset();
  global_.reset();
  tickets_.launch_begins(grid, traits);
  reported_.clear();
}

void RaceCheck::launch_ends() {
  global_.reset();
  blocks_.clear();
  running_.clear();
  last_block_ = nullptr;
}

void RaceCheck::block_begins(const Block& block) {
  const auto id = static_cast<u32>(block.linear_id);
  blocks_[&block] = std::make_unique<BlockState>(id, block.warp_count);
  running_[id] = blocks_[&block].get();
  last_block_ = nullptr;
}

void RaceCheck::block_ends(const Block& block) {
  const auto found = blocks_.find(&block);
  if (found == blocks_.end()) return;
  // Others of the cluster may wait where it has only arrived.
  if (clusters_) found->second->order.meet_cluster(order_.next_time());
  order_.ended(found->second->order);
  running_.erase(found->second->order.block());
  blocks_.erase(found);
  last_block_ = nullptr;
}

/// What all of its blocks did before is ordered before what they do next. Between arriving and waiting, too:
/// that is not told apart.
void RaceCheck::cluster_met(const Cluster& cluster) {
  const u64 now = order_.next_time();
  for (const Block* block : cluster.blocks) {
    if (block == nullptr) continue;
    BlockOrder& order = state_of(*block).order;
    order.meet_cluster(now);
    for (u32 warp = 0; warp < block->warp_count; ++warp) order.acquire(warp, now);
  }
}

RaceCheck::BlockState& RaceCheck::state_of(const Block& block) {
  if (last_block_ == &block) return *last_state_;
  last_state_ = blocks_.at(&block).get();
  last_block_ = &block;
  return *last_state_;
}

// ---- accesses ----

void RaceCheck::access(Warp& w, const Instruction& in, const ObservedAccess& a) {
  const bool shared = a.space == ptx::Space::kShared;
  if (!shared && a.space != ptx::Space::kGlobal) return;
  BlockState& state = state_of(*w.block);
  const Traits& traits = (*traits_)[in.index];
  Stamp me;
  me.block = state.order.block();
  me.instruction = in.index;
  me.strength = static_cast<u8>(a.kind == AccessKind::kAtomic ? Strength::kAtomic : traits.strength);
  me.block_scope = traits.block_scope && !shared;
  RaceShadow& shadow = shared ? state.shared : global_;
  const bool copies = traits.async_copy == AsyncCopy::kCopy && shared && a.kind == AccessKind::kStore;
  u32 lanes = a.mask;
  if (a.kind == AccessKind::kLoad && !strong(me) && traits.async_copy == AsyncCopy::kNone &&
      !traits.barrier_object) {
    me.clock = state.order.clock();
    lanes = read_words({w, in, state, me, 0, 0, shared, false, a}, shadow);
  }
  each_lane_of(lanes, [&](u32 lane) {
    const u64 address = a.address(lane);
    me.thread = static_cast<u16>(w.index * kWarpSize + lane);
    me.clock = state.order.clock();
    me.pending = copies;
    const Touch t{w, in, state, me, lane, address, shared, traits.plain_store, a};
    if (shared && address + a.width > w.block->shared_bytes) {
      if (strong(me)) reach_other_block(t, a);
      return;
    }
    if (traits.async_copy == AsyncCopy::kHandOn) hand_copies_on(state, me.thread, address);
    if (traits.polls && traits.barrier_object) wait_for_barrier(state, address);
    if (strong(me)) {
      if (!shared && tickets_.watched()) follow_tickets(t);
      state.order.fence(traits.releases);
      communicate(t, a, address, shadow);
    }
    touch(t, a, shadow);
    if (copies) {
      ThreadCopies& mine = state.copies[me.thread];
      mine.pending.push_back({mine.committed, address, a.width, me.thread});
    }
  });
}

/// Plain loads of whole words whose last writes are settled for the whole warp: most requests are nothing
/// else. Gives the lanes that are left. Of neighbours that read the same word the first and the last are
/// enough, where the first is remembered as the first: these two would be remembered of all.
u32 RaceCheck::read_words(const Touch& warp, RaceShadow& shadow) {
  const ObservedAccess& a = warp.request;
  const u32 met = warp.state.order.all_met();
  const auto settled_for_all = [&](const Stamp& before) {
    return before.clock == 0 || (before.block == warp.me.block && !before.pending && before.clock < met);
  };
  if (warp.shared && a.base + static_cast<u64>(a.pattern->highest) + a.width > warp.w.block->shared_bytes)
    return a.mask;
  Touch t = warp;
  u32 left = 0;
  u64 same_as = ~u64{0};  // the address of the lane before, if that was done
  for (u32 lanes = a.mask; lanes != 0; lanes &= lanes - 1) {
    t.lane = static_cast<u32>(std::countr_zero(lanes));
    t.address = a.address(t.lane);
    const u32 later = lanes & (lanes - 1);
    if (t.address == same_as && later != 0 && a.address(static_cast<u32>(std::countr_zero(later))) == same_as)
      continue;
    RaceCell* const cells = shadow.words(t.address, a.width);
    const u32 words = a.width / 4;
    bool quick = cells != nullptr;
    for (u32 i = 0; quick && i < words; ++i)
      quick = settled_for_all(cells[i].write) && settled_for_all(cells[i].plain);
    same_as = quick ? t.address : ~u64{0};
    if (!quick) {
      left |= 1u << t.lane;
      continue;
    }
    t.me.thread = static_cast<u16>(t.w.index * kWarpSize + t.lane);
    for (u32 i = 0; i < words; ++i) {
      remember_reader(t, cells[i]);
      const Stamp& first = cells[i].read[0];
      if (first.thread != t.me.thread || first.clock != t.me.clock || first.block != t.me.block)
        same_as = ~u64{0};
    }
  }
  return left;
}

/// A flag in the shared memory of another block of the cluster: it orders, data there is not watched.
void RaceCheck::reach_other_block(const Touch& t, const ObservedAccess& a) {
  const Cluster* const cluster = t.w.block->cluster;
  const u64 rank = t.address >> kClusterRankShift, offset = t.address & kClusterOffsetMask;
  if (cluster == nullptr || rank == 0 || rank > cluster->blocks.size()) return;
  const Block* const other = cluster->blocks[rank - 1];
  if (other == nullptr || offset + a.width > other->shared_bytes) return;
  t.state.order.fence((*traits_)[t.in.index].releases);
  RaceShadow& theirs = state_of(*other).shared;
  communicate(t, a, offset, theirs);
}

/// Before a strong access orders anything: does the block with the last ticket look at what another block has
/// written with an atomic before its own ticket, and without a fence between the two?
void RaceCheck::follow_tickets(const Touch& t) {
  const AccessKind kind = t.request.kind;
  const bool looks = kind == AccessKind::kLoad ||
                     (kind == AccessKind::kAtomic && !grid_->kernel->info[t.in.index].old_unread);
  const Tickets::Last* const last = looks ? tickets_.behind_last(t.me.block, t.me.instruction) : nullptr;
  if (last != nullptr && last->counter != t.address && t.state.order.acquired(t.w.index) >= last->previous) {
    const auto look_at = [&](const Stamp* before, u64 at) {
      if (before == nullptr || before->clock == 0 || !strong(*before) || before->block == t.me.block) return;
      const auto drew = last->clocks.find(before->block);
      if (drew == last->clocks.end() || before->clock >= drew->second) return;
      if (!out_of_scope(*before, t.me) && !ordered(t, *before))
        tell_once(t, *before, Hazard::kReadAfterTicket, at);
    };
    global_.each(t.address, t.request.width, [&](RaceCell& cell, u64 at, u32) {
      look_at(&cell.write, at);
      look_at(tickets_.earlier(at), at);
    });
  }
  if (kind == AccessKind::kAtomic && !t.me.block_scope) tickets_.draw(t.address, t.me, order_.time() + 1);
}

/// A strong access hands on what was published at its address, and publishes. Between blocks only if the
/// scopes of both reach that far.
void RaceCheck::communicate(const Touch& t, const ObservedAccess& a, u64 address, RaceShadow& shadow) {
  const u64 now = order_.next_time();
  if (a.kind != AccessKind::kLoad) t.state.order.publish(t.w.index, now, t.me.block_scope, clusters_);
  shadow.each(address, a.width, [&](RaceCell& cell, u64, u32) {
    if (a.kind != AccessKind::kStore && !out_of_scope(cell.write, t.me))
      t.state.order.acquire(t.w.index, cell.published);
    if (a.kind != AccessKind::kLoad) cell.published = now;
  });
}

void RaceCheck::touch(const Touch& t, const ObservedAccess& a, RaceShadow& shadow) {
  shadow.each(t.address, a.width, [&](RaceCell& cell, u64 at, u32 bytes) {
    if (a.kind == AccessKind::kLoad)
      read(t, cell, at);
    else
      write(t, cell, at, bytes);
  });
}

void RaceCheck::read(const Touch& t, RaceCell& cell, u64 at) {
  if (!settled(t, cell.write)) check(t, cell.write, Hazard::kReadAfterWrite, at, 0);
  if (!settled(t, cell.plain)) check(t, cell.plain, Hazard::kReadAfterWrite, at, 0);
  remember_reader(t, cell);
}

void RaceCheck::write(const Touch& t, RaceCell& cell, u64 at, u32 bytes) {
  if (!settled(t, cell.write)) check(t, cell.write, Hazard::kWriteAfterWrite, at, bytes);
  if (!settled(t, cell.plain))
    check(t, cell.plain, strong(t.me) ? Hazard::kAtomicAfterPlain : Hazard::kWriteAfterWrite, at, bytes);
  if (!strong(t.me))
    cell.plain.clock = 0;
  else if (!strong(cell.write) && !cell.write.pending && cell.write.clock != 0)
    cell.plain = cell.write;
  for (Stamp& reader : cell.read) {
    if (!settled(t, reader)) check(t, reader, Hazard::kWriteAfterRead, at, 0);
    reader.clock = 0;
  }
  if (!t.shared && tickets_.watched() && strong(cell.write) && strong(t.me) && cell.write.clock != 0 &&
      cell.write.block != t.me.block)
    tickets_.replaced(at, cell.write);
  cell.write = t.me;
}

const std::vector<Publication>* RaceCheck::publications_of(u32 block) const {
  const auto running = running_.find(block);
  return running != running_.end() ? &running->second->order.publications() : order_.publications_of(block);
}

bool RaceCheck::ordered_by_memory(const Touch& t, const Stamp& before) const {
  const BlockOrder& now = t.state.order;
  const bool same_block = before.block == now.block();
  // Spinning on a volatile variable orders warps and blocks. Lanes of one warp that exchange values through
  // volatile shared memory rely on lockstep, which is no order.
  if (same_block && t.shared && before.thread / kWarpSize == t.w.index && is_volatile(before) &&
      is_volatile(t.me))
    return false;
  return LaunchOrder::by_memory(before, now, t.w.index, publications_of(before.block));
}

void RaceCheck::check(const Touch& t, const Stamp& before, Hazard hazard, u64 at, u32 bytes) {
  const bool in_warp = before.block == t.me.block && before.thread / kWarpSize == t.w.index;
  const bool both_strong = strong(before) && strong(t.me) && !out_of_scope(before, t.me);
  if (both_strong && !(t.shared && in_warp && is_volatile(before) && is_volatile(t.me))) return;
  if (ordered(t, before)) return;
  if (hazard == Hazard::kWriteAfterWrite && t.plain_store && !before.pending &&
      same_value(t, before, at, bytes))
    return;
  tell_once(t, before, hazard, at);
}

/// Reports two instructions once, and counts how often they meet again.
void RaceCheck::tell_once(const Touch& t, const Stamp& before, Hazard hazard, u64 at) {
  const Hazard told = hazard == Hazard::kAtomicAfterPlain ? Hazard::kWriteAfterWrite : hazard;
  const auto [known, is_new] = reported_.try_emplace(
      (u64{before.instruction} << 32 | t.me.instruction) * 8 + static_cast<u64>(told), nullptr);
  if (!is_new) {
    if (known->second != nullptr) seen_again(*known->second, t, before, hazard, at);
    return;
  }
  if (hazard == Hazard::kReadAfterWrite || hazard == Hazard::kWriteAfterRead) {
    const bool read_first = hazard == Hazard::kWriteAfterRead;
    const u32 reader = read_first ? before.instruction : t.me.instruction;
    const u32 writer = read_first ? t.me.instruction : before.instruction;
    if (starts_swap_loop(*grid_->kernel, reader, writer)) return;
  }
  known->second = &report(t, before, hazard, at);
}

/// The bytes that a lane of a plain store is about to write.
static const u8* stored_bytes(const Warp& w, const Instruction& in, u32 lane, u64 offset) {
  if (in.extra == nullptr || in.extra->slots.size() < 2)
    return w.row<u8>(in.b) + u64{lane} * in.width + offset;
  const u64 element = in.width / in.extra->slots.size();
  return w.row<u8>(in.extra->slots[offset / element]) + lane * element + offset % element;
}

bool RaceCheck::same_value(const Touch& t, const Stamp& before, u64 at, u32 bytes) const {
  const u8* const mine = stored_bytes(t.w, t.in, t.lane, at - t.address);
  // Lanes are looked at in ascending order. In a loop the same lane may have written here an iteration ago.
  const u32 lane = before.thread % kWarpSize;
  const bool at_once = before.instruction == t.me.instruction && before.clock == t.me.clock &&
                       before.block == t.me.block && before.thread / kWarpSize == t.w.index &&
                       lane < t.lane && (t.request.mask >> lane & 1U) != 0 &&
                       at - t.request.address(lane) < t.request.width;
  // Lanes of one instruction: the other's value is in its register still.
  const u8* const other = at_once    ? stored_bytes(t.w, t.in, lane, at - t.request.address(lane))
                          : t.shared ? t.w.block->shared + at
                                     : reinterpret_cast<const u8*>(at);
  return std::memcmp(mine, other, bytes) == 0;
}

// ---- order ----

void RaceCheck::before(Warp& w, const Instruction& in, u32 active) {
  BlockState& state = state_of(*w.block);
  const Traits& traits = (*traits_)[in.index];
  const auto lane = static_cast<u32>(std::countr_zero(active));
  switch (traits.gathers) {
    case Gathers::kBarrier:
    case Gathers::kBarrierArrive:
      if (active != w.live()) state.split_warps |= 1U << w.index % 32;
      state.order.arrive(w.index, static_cast<u8>(w.row<u32>(in.a)[lane] & 15));
      break;
    case Gathers::kWholeWarp:
      met(w, kAllLanes.data(), active);
      break;
    case Gathers::kMembers:
    case Gathers::kWarpBarrier:
      met(w, w.row<u32>(members_of(in, traits)), active);
      break;
    case Gathers::kClusterBarrier:
    case Gathers::kNone:
      break;
  }
  state.order.fence(traits.fence);
  if (traits.async_copy == AsyncCopy::kCommit)
    each_lane_of(active, [&](u32 l) { ++state.copies[w.index * kWarpSize + l].committed; });
  if (traits.async_copy == AsyncCopy::kWaitGroups) wait_for_copies(w, active, in.immediate);
  if (traits.async_copy == AsyncCopy::kWaitAll) wait_for_copies(w, active, -1);
}

/// Lanes come to a `.sync` instruction together or one after the other; when all that they name are there,
/// they have met.
void RaceCheck::met(Warp& w, const u32* members, u32 active) {
  BlockState& state = state_of(*w.block);
  AtSync& waiting = state.at_sync[w.index];
  each_lane_of(active, [&](u32 lane) { waiting.members[lane] = members[lane]; });
  waiting.lanes |= active;
  for (u32 left = active; left != 0;) {
    const u32 named = members[std::countr_zero(left)];
    u32 here = 0;
    each_lane_of(waiting.lanes, [&](u32 lane) {
      if (((waiting.members[lane] ^ named) & w.live()) == 0) here |= 1u << lane;
    });
    left &= ~here;
    if ((named & w.live() & ~here) != 0) continue;
    state.order.warp_met(w.index, (w.live() & ~here) == 0 ? ~0u : here);
    waiting.lanes &= ~here;
  }
}

/// Calls use(stamp) for what the copy has written, as far as nobody has written there since.
template <class Use>
void RaceCheck::of_copy(RaceShadow& shadow, const PendingCopy& copy, Use use) {
  shadow.each(copy.address, copy.width, [&](RaceCell& cell, u64, u32) {
    if (cell.write.pending && cell.write.thread == copy.thread) use(cell.write);
  });
}

void RaceCheck::wait_for_copies(Warp& w, u32 active, s64 groups) {
  BlockState& state = state_of(*w.block);
  each_lane_of(active, [&](u32 lane) {
    const u32 thread = w.index * kWarpSize + lane;
    const auto found = state.copies.find(thread);
    if (found == state.copies.end()) return;
    ThreadCopies& mine = found->second;
    const s64 done = groups < 0 ? mine.committed + 1 : mine.committed - groups;
    std::erase_if(mine.pending, [&](const PendingCopy& copy) {
      if (copy.group >= done) return false;
      of_copy(state.shared, copy, [&](Stamp& write) {
        write.pending = false;
        write.clock = state.order.clock();
      });
      return true;
    });
  });
}

/// From here on what the thread has copied is ordered as what it does itself, and its arrival at the barrier
/// publishes it; but nobody may look before having waited for this barrier, or for another one that it was
/// handed on to.
void RaceCheck::hand_copies_on(BlockState& state, u32 thread, u64 barrier) {
  const auto found = state.copies.find(thread);
  if (found == state.copies.end() || found->second.pending.empty()) return;
  std::vector<PendingCopy>& pending = found->second.pending;
  std::erase_if(pending, [&](const PendingCopy& copy) {
    bool on_its_way = false;
    of_copy(state.shared, copy, [&](const Stamp&) { on_its_way = true; });
    return !on_its_way;
  });
  std::vector<PendingCopy>& handed_on = state.handed_on[barrier];
  for (PendingCopy& copy : pending) {
    if (!std::exchange(copy.handed_on, true))
      of_copy(state.shared, copy, [&](Stamp& write) { write.clock = state.order.clock(); });
    handed_on.push_back(copy);
  }
}

/// Whether the phase is complete is not asked: who polls goes on polling until it is.
void RaceCheck::wait_for_barrier(BlockState& state, u64 barrier) {
  const auto found = state.handed_on.find(barrier);
  if (found == state.handed_on.end()) return;
  for (const PendingCopy& copy : found->second)
    of_copy(state.shared, copy, [](Stamp& write) { write.pending = false; });
  state.handed_on.erase(found);
}

void RaceCheck::barrier_completed(const Block& block, u8 barrier) {
  u32 waiting = 0;
  for (u32 i = 0; i < block.warp_count; ++i)
    for (const Fragment& f : block.warps[i].others)
      if (f.state == Fragment::State::kAtBarrier && !f.aligned && f.barrier == barrier) waiting |= 1u << i;
  state_of(block).order.complete(barrier, waiting);
}

}  // namespace roofline::sim
