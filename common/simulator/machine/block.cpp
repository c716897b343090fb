// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>

#include "simulator/machine/block_trap.h"
#include "simulator/machine/cluster.h"
#include "simulator/machine/memory.h"
#include "simulator/machine/observer.h"
#include "simulator/machine/thread_recorder.h"
#include "simulator/program/address_windows.h"
#include "simulator/timing/device_description.h"

namespace roofline::sim {

namespace {

/// Warps switch at least this often, so that one that spins on another lets it run.
constexpr u32 kWarpQuantum = 1024;
/// A warp that has done more than this has its block watched for so many more, to know its pace: the sampled
/// blocks may do less.
constexpr u64 kUnwatched = 4096;
constexpr u64 kWatched = 512;
constexpr u32 kWatchedQuantum = 128;
/// Instructions of a warp from which its pace is known.
constexpr u64 kFewestForPace = 64;
/// A block that executed as many instructions that may be polling has probably come to a wait for other
/// blocks. One that does nothing else gives way sooner and sooner, so that hundreds of blocks that want one
/// lock cost its holder little.
constexpr u64 kSpinsATurn = 256, kFewestSpinsATurn = 4;

/// Local memory of the deepest chain of direct calls from a function, itself not included. Functions on the
/// way are left out when they come again: recursion lives on the stack that the program sets.
u64 call_bytes_below(const Function& function, std::vector<const Function*>& path) {
  constexpr u64 kFrameHead = 16;  // as in Warp::call
  path.push_back(&function);
  u64 most = 0;
  for (const CallSite& site : function.calls) {
    if (site.callee == nullptr || std::find(path.begin(), path.end(), site.callee) != path.end()) continue;
    most = std::max(most, kFrameHead + site.callee->local_bytes + call_bytes_below(*site.callee, path));
  }
  path.pop_back();
  return most;
}

/// Sectors of a turn that may be a poll: of two requests of 32 lanes each.
constexpr size_t kMostLooks = 64;
/// Meetings with other blocks in a loop that only polls, such as a fence and a load.
constexpr u32 kMostStopsOfAPoll = 16;

u64 hash_of(const void* bytes, u64 count, u64 seed) {
  u64 hash = seed + 1;
  for (u64 i = 0; i + 8 <= count; i += 8) {
    u64 word = 0;
    std::memcpy(&word, static_cast<const u8*>(bytes) + i, 8);
    hash = std::rotl((hash ^ word) * 0x9e3779b97f4a7c15u, 29);
  }
  return hash;
}

u64 hash_of_registers(const Warp& w) {
  const u64 place[] = {w.pc, w.fragment_mask, w.others.size()};
  return hash_of(w.frame->rows.get(), w.function->frame_bytes, hash_of(place, sizeof(place), 0));
}

/// Of a warp whose running lanes poll: no other lanes are ready, or would be let go in the end
/// (Warp::take_turns).
bool nobody_else_can_run(const Warp& w) {
  u32 accounted = w.fragment_mask;
  for (const Fragment& other : w.others) {
    if (other.state == Fragment::State::kReady) return false;
    accounted |= other.mask;
  }
  return accounted == w.live();
}

/// When the first of the warps that can run does so, in cycles of the block.
double first_due(std::span<const Warp> warps) {
  double first = std::numeric_limits<double>::infinity();
  for (const Warp& w : warps)
    if (w.state == Warp::State::kReady) first = std::min(first, w.due);
  return first;
}

}  // namespace

u64 hash_of_sector(const Memory& memory, u64 sector) {
  const u64 address = sector * kSectorBytes;
  // Local memory and what ptxas spilled are traffic without an allocation.
  return memory.find(address) == nullptr ? 0
                                         : hash_of(reinterpret_cast<const void*>(address), kSectorBytes, 0);
}

void Block::arrive(Warp& warp, u32 lanes, u8 id_of_barrier, u32 expected, const Instruction& in, u32 votes,
                   bool goes_on) {
  Barrier& barrier = barriers[id_of_barrier];
  if (expected == warp_count * kWarpSize) expected = 0;  // the whole block, spelled out
  if (barrier.threads != 0 && barrier.expected != expected)
    warp.trap(TrapKind::kIllegalInstruction, static_cast<u32>(std::countr_zero(lanes)), in,
              "barrier " + std::to_string(id_of_barrier) + " is used with different thread counts, " +
                  std::to_string(barrier.expected) + " and " + std::to_string(expected));
  const u32 count = static_cast<u32>(std::popcount(lanes));
  ++totals->barriers;
  if (warp.recording != nullptr) warp.recording->arrive(barrier.number(id_of_barrier), in);
  barrier.expected = expected;
  barrier.threads += count;
  barrier.rounded += lanes == warp.live() ? kWarpSize : count;
  barrier.votes += votes;
  barrier.is_passed = barrier.is_passed || goes_on;
  complete_if_full(id_of_barrier);
}

void Block::threads_exited(u32 count) {
  live_threads -= count;
  for (u8 i = 0; i < 16; ++i)
    if (barriers[i].threads != 0) complete_if_full(i);
}

bool Block::is_full(const Barrier& barrier) const {
  if (barrier.expected != 0) return barrier.rounded >= barrier.expected;
  // Who arrived, went on and has ended is no live thread any more, and has arrived all the same.
  return barrier.is_passed ? barrier.rounded >= warp_count * kWarpSize : barrier.threads >= live_threads;
}

void Block::complete_if_full(u8 id_of_barrier) {
  const Barrier barrier = barriers[id_of_barrier];
  if (!is_full(barrier)) return;
  if (observer != nullptr) observer->barrier_completed(*this, id_of_barrier);
  const u32 number = barrier.number(id_of_barrier);
  barriers[id_of_barrier] = {};
  barriers[id_of_barrier].phase = barrier.phase + 1;
  Scoreboard::Cycles latest;
  for (u32 i = 0; i < warp_count; ++i) {
    if (warps[i].scoreboard == nullptr) continue;
    const Scoreboard::Cycles now = warps[i].scoreboard->now();
    latest = {std::max(latest.l2, now.l2), std::max(latest.dram, now.dram)};
  }
  for (u32 i = 0; i < warp_count; ++i) {
    if (warps[i].scoreboard != nullptr && warps[i].state != Warp::State::kDone)
      warps[i].scoreboard->advance_to(latest, (barrier.threads + kWarpSize - 1) / kWarpSize);
    if (warps[i].release_barrier(id_of_barrier, barrier.votes, barrier.threads) &&
        warps[i].recording != nullptr)
      warps[i].recording->meet(number);
  }
}

u64 Block::allocate_on_heap(u64 bytes, const std::string& origin) const {
  const u64 address = grid->memory->allocate_on_heap(bytes, origin);
  if (address != 0 && observer != nullptr) observer->allocated_on_heap(address, bytes, origin);
  return address;
}

bool Block::release_on_heap(u64 address) const {
  if (!grid->memory->release_on_heap(address)) return false;
  if (observer != nullptr) observer->released_on_heap(address);
  return true;
}

// ---- BlockRunner ----

BlockRunner::BlockRunner(const DeviceDescription& device) : device_(device), recorder_(device) {
  block_.l1 = nullptr;
}
BlockRunner::~BlockRunner() = default;

void BlockRunner::prepare(Grid& grid, u64 l1_bytes, IssueCounters* issued,
                          std::vector<InstructionCounters>* counters, KernelCounters* totals,
                          AccessCache* access, AtomicHeat* heat) {
  block_.grid = &grid;
  block_.observer = grid.observer;
  block_.issued = issued;
  block_.counters = counters;
  block_.totals = totals;
  block_.access = access;
  block_.heat = heat;
  const u64 threads = grid.block.count();
  block_.warp_count = static_cast<u32>((threads + kWarpSize - 1) / kWarpSize);
  if (warp_capacity_ < block_.warp_count) {
    warps_ = std::make_unique<Warp[]>(block_.warp_count);
    warp_capacity_ = block_.warp_count;
  }
  if (l1_ == nullptr || l1_bytes_ != l1_bytes) {
    l1_ = std::make_unique<L1Cache>(l1_bytes);
    l1_bytes_ = l1_bytes;
  }
  block_.l1 = l1_.get();
  block_.shared_bytes = grid.kernel->static_shared_bytes + grid.dynamic_shared_bytes;
  if (shared_capacity_ < block_.shared_bytes) {
    shared_ = make_aligned(block_.shared_bytes + 64);
    shared_capacity_ = block_.shared_bytes;
  }
  block_.shared = shared_.get();
  const bool uses_reserved = grid.kernel->uses_reserved_shared;
  if (uses_reserved && reserved_ == nullptr) reserved_ = make_aligned(kReservedSharedBytes);
  block_.reserved = uses_reserved ? reserved_.get() : nullptr;
  entry_local_ = grid.kernel->entry().local_bytes;
  std::vector<const Function*> path;
  block_.local_bytes =
      entry_local_ +
      (grid.kernel->has_calls ? grid.stack_bytes + call_bytes_below(grid.kernel->entry(), path) : 0);
  block_.local_bytes = (block_.local_bytes + 15) / 16 * 16;
  const u64 local = block_.local_bytes * block_.warp_count * kWarpSize;
  if (local_capacity_ < local) {
    local_ = make_aligned(local);
    std::memset(local_.get(), kUnwrittenByte, local);
    local_capacity_ = local;
  }
  block_.local = local_.get();
}

void BlockRunner::begin(u64 linear_id, bool tracked, u32 recorded, Cluster* cluster, u32 rank) {
  const Grid& grid = *block_.grid;
  block_.linear_id = linear_id;
  block_.cluster = cluster;
  block_.cluster_rank = rank;
  block_.id = {static_cast<u32>(linear_id % grid.size.x),
               static_cast<u32>(linear_id / grid.size.x % grid.size.y),
               static_cast<u32>(linear_id / grid.size.x / grid.size.y)};
  block_.output.clear();
  block_.l1->reset();
  std::fill(std::begin(block_.barriers), std::end(block_.barriers), Barrier{});
  if (block_.shared_bytes != 0) std::memset(block_.shared, 0, block_.shared_bytes);
  if (block_.reserved != nullptr) std::memset(block_.reserved, 0, kReservedSharedBytes);
  const u32 threads = static_cast<u32>(grid.block.count());
  if (entry_local_ != 0)
    for (u32 t = 0; t < threads; ++t)
      std::memset(block_.local + t * block_.local_bytes, kUnwrittenByte, entry_local_);
  block_.live_threads = threads;
  spins_a_turn_ = kSpinsATurn;
  paces_.clear();
  circles_.assign(block_.warp_count, {});
  block_.until = std::numeric_limits<double>::infinity();
  block_.start = 0;
  watched_ = false;
  may_be_watched_ = !tracked;
  block_.warps = warps_.get();
  if (recorded != 0) recorder_.begin(linear_id, block_.warp_count, recorded);
  for (u32 i = 0; i < block_.warp_count; ++i) {
    const u32 lanes = threads - i * kWarpSize;
    warps_[i].scoreboard = tracked ? scoreboard(i) : nullptr;
    warps_[i].recording = recorded != 0 ? recorder_.warp(i) : nullptr;
    const bool followed = grid.recorder != nullptr && grid.recorder->follows(linear_id, i);
    warps_[i].recorder = followed ? grid.recorder : nullptr;
    warps_[i].begin(block_, i, *grid.function, lanes >= kWarpSize ? ~0u : (1u << lanes) - 1);
  }
  if (cluster != nullptr) cluster->begin(block_);
  if (block_.observer != nullptr) block_.observer->block_begins(block_);
}

Scoreboard* BlockRunner::scoreboard(u32 warp) {
  while (scoreboards_.size() <= warp) scoreboards_.push_back(std::make_unique<Scoreboard>(device_));
  scoreboards_[warp]->reset();
  return scoreboards_[warp].get();
}

void BlockRunner::watch() {
  paces_.assign(block_.warp_count, {});
  watched_ = true;
  for (u32 i = 0; i < block_.warp_count; ++i) {
    paces_[i].from = warps_[i].issued;
    warps_[i].scoreboard = scoreboard(i);
  }
}

void BlockRunner::watch_or_not() {
  for (u32 i = 0; i < block_.warp_count; ++i) {
    if (watched_ && warps_[i].issued >= paces_[i].from + kWatched) return unwatch();
    if (!watched_ && warps_[i].issued >= kUnwatched) return watch();
  }
}

void BlockRunner::unwatch() {
  watched_ = may_be_watched_ = false;
  for (u32 i = 0; i < block_.warp_count; ++i) {
    const u64 instructions = warps_[i].issued - paces_[i].from;
    const Scoreboard::Cycles now = warps_[i].scoreboard->now();
    const double each = instructions >= kFewestForPace ? 1 / static_cast<double>(instructions) : 0;
    paces_[i].an_instruction = {now.l2 * each, now.dram * each};
    warps_[i].scoreboard = nullptr;
  }
}

Scoreboard::Cycles BlockRunner::cycles_by_pace() const {
  Scoreboard::Cycles longest;
  for (u32 i = 0; i < paces_.size(); ++i) {
    const auto issued = static_cast<double>(warps_[i].issued);
    longest = {std::max(longest.l2, paces_[i].an_instruction.l2 * issued),
               std::max(longest.dram, paces_[i].an_instruction.dram * issued)};
  }
  return longest;
}

bool BlockRunner::run(u64 budget, u64& used) {
  used = 0;
  block_.spins = 0;
  const u64 work_before = visible_work();
  for (;;) {
    bool any = false, all_done = true;
    for (u32 i = 0; i < block_.warp_count; ++i) {
      Warp& w = warps_[i];
      if (w.state == Warp::State::kReady) {
        const u32 done = w.run(watched_ ? kWatchedQuantum : kWarpQuantum);
        w.issued += done;
        used += done;
        any = true;
      }
      all_done &= w.state == Warp::State::kDone;
    }
    if (all_done) {
      if (watched_) unwatch();
      return true;
    }
    if (may_be_watched_) watch_or_not();
    if (!any && waits_for_cluster()) return false;
    if (!any) report_deadlock(block_);
    if (used >= budget || block_.spins >= spins_a_turn_) break;
  }
  spins_a_turn_ =
      visible_work() != work_before ? kSpinsATurn : std::max(spins_a_turn_ / 2, kFewestSpinsATurn);
  return false;
}

bool BlockRunner::run_until(double cycle, u64 budget, u64& used) {
  used = 0;
  block_.spins = 0;
  const std::span warps(warps_.get(), block_.warp_count);
  block_.until = std::max(cycle - block_.start, first_due(warps));  // the difference is rounded
  const auto goes_on = [&](const Warp& w) { return w.state == Warp::State::kReady && w.due <= block_.until; };
  while (std::any_of(warps.begin(), warps.end(), goes_on)) {
    for (Warp& w : warps) {
      if (!goes_on(w)) continue;
      const u32 done = w.run(kWarpQuantum);
      w.issued += done;
      used += done;
    }
    if (used < budget && block_.spins < kSpinsATurn) continue;
    // It computes for long, or its warps wait for each other: time has passed meanwhile.
    for (Warp& w : warps)
      if (goes_on(w)) w.due = std::max(w.scoreboard->now().l2, block_.until + 1);
  }
  const auto is = [&](Warp::State state) { return [state](const Warp& w) { return w.state == state; }; };
  if (std::all_of(warps.begin(), warps.end(), is(Warp::State::kDone))) return true;
  if (std::none_of(warps.begin(), warps.end(), is(Warp::State::kReady)) && !waits_for_cluster())
    report_deadlock(block_);
  note_stops();
  return false;
}

double BlockRunner::due() const { return block_.start + first_due({warps_.get(), block_.warp_count}); }

bool BlockRunner::only_polls() const {
  for (u32 i = 0; i < block_.warp_count; ++i)
    if (warps_[i].state == Warp::State::kReady && !circles_[i].repeats) return false;
  return true;
}

std::vector<u64> BlockRunner::polled() const {
  std::vector<u64> sectors;
  for (const Circle& circle : circles_)
    if (circle.repeats)
      for (const Look& look : circle.before) sectors.push_back(look.sector);
  return sectors;
}

double BlockRunner::poll_period() const {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Circle& circle : circles_)
    if (circle.repeats) shortest = std::min(shortest, circle.period);
  return shortest;
}

void BlockRunner::note_stops() {
  looks_.clear();
  // Only what may wait can be a poll.
  bool few = block_.spins != 0;
  for (const SectorRun& run : block_.runs) {
    few &= looks_.size() + run.count <= kMostLooks;
    if (!few) break;
    for (u64 sector = run.first_sector; sector < run.first_sector + run.count; ++sector)
      looks_.push_back({sector, hash_of_sector(*block_.grid->memory, sector)});
  }
  bool repeats = true;
  for (u32 i = 0; i < block_.warp_count; ++i) {
    Circle& circle = circles_[i];
    if (warps_[i].issued == circle.issued) continue;
    if (few && warps_[i].state == Warp::State::kReady)
      go_round(warps_[i], circle);
    else
      circle = {};
    circle.issued = warps_[i].issued;
    repeats &= circle.repeats;
  }
  // What one warp did another may have waited for.
  if (!repeats)
    for (Circle& circle : circles_) circle.repeats = false;
}

/// A warp that comes back to the same registers, twice by the same way, goes on like this for ever: what it
/// does depends on nothing but these and what it looks at.
void BlockRunner::go_round(const Warp& w, Circle& circle) {
  circle.looks.insert(circle.looks.end(), looks_.begin(), looks_.end());
  circle.repeats = false;
  const u64 registers = hash_of_registers(w);
  if (registers == circle.registers) {
    const auto is_still_so = [&](const Look& look) {
      return look.content == hash_of_sector(*block_.grid->memory, look.sector);
    };
    circle.repeats = nobody_else_can_run(w) && !circle.looks.empty() && circle.looks == circle.before &&
                     std::all_of(circle.looks.begin(), circle.looks.end(), is_still_so);
    circle.period = w.due - circle.began;
    circle.before = std::move(circle.looks);
  } else if (++circle.stops < circle.most) {
    return;
  } else {
    circle.registers = registers;
    circle.most = std::min(2 * circle.most, kMostStopsOfAPoll);
    circle.before.clear();
  }
  circle.began = w.due;
  circle.stops = 0;
  circle.looks.clear();
}

/// Goes up when the block did what one that only polls does not do.
u64 BlockRunner::visible_work() const {
  return block_.totals->global_store_requests + block_.totals->barriers - block_.live_threads;
}

bool BlockRunner::waits_for_cluster() const {
  for (u32 i = 0; i < block_.warp_count; ++i)
    if (warps_[i].waits_at_cluster_barrier()) return true;
  return false;
}

Scoreboard::Cycles BlockRunner::cycles() const {
  Scoreboard::Cycles latest;
  for (u32 i = 0; i < block_.warp_count; ++i) {
    if (warps_[i].scoreboard == nullptr) continue;
    const Scoreboard::Cycles now = warps_[i].scoreboard->now();
    latest = {std::max(latest.l2, now.l2), std::max(latest.dram, now.dram)};
  }
  return latest;
}

}  // namespace roofline::sim
