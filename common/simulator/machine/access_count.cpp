// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "simulator/machine/access.h"
#include "simulator/machine/access_pattern.h"
#include "simulator/machine/memory.h"
#include "simulator/machine/register_access.h"
#include "simulator/machine/texel_access.h"

namespace roofline::sim {

namespace {

/// Where local memory is in the modelled caches: at addresses of the device above any allocation that is
/// likely to exist.
constexpr u64 kLocalPlace = u64{192} << 30, kSpilledPlace = u64{224} << 30;

/// A request that cost more than it had to: how its lanes lie.
void note_waste(InstructionCounters& counters, AddressPattern& p) {
  if (!p.has_stride) {
    p.stride = find_stride(p);
    p.has_stride = true;
  }
  if (p.stride == InstructionCounters::kNoStride) {
    counters.irregular += 1;
    return;
  }
  counters.stride_low = std::min(counters.stride_low, p.stride);
  counters.stride_high = std::max(counters.stride_high, p.stride);
}

/// Appends the sectors of one line to what leaves the SM.
void emit(Block& block, u32 instruction, SectorRun::Kind kind, u64 line, u32 sectors) {
  while (sectors != 0) {
    const auto first = static_cast<u32>(std::countr_zero(sectors));
    const auto n = static_cast<u32>(std::countr_one(sectors >> first));
    const u64 sector = line * 4 + first;
    sectors &= ~(((1u << n) - 1) << first);
    if (!block.runs.empty()) {
      SectorRun& last = block.runs.back();
      if (last.first_sector + last.count == sector && last.kind == kind && last.instruction == instruction) {
        last.count += n;
        continue;
      }
    }
    SectorRun run{};
    run.first_sector = sector & ((u64{1} << 58) - 1);
    run.kind = static_cast<u64>(kind) & 63;
    run.count = n;
    run.instruction = instruction;
    block.runs.push_back(run);
  }
}

/// Loads sectors of one line through L1; returns how many went on to L2.
u32 load_line(Block& block, u32 instruction, bool bypass_l1, u64 line, u32 sectors) {
  const u32 missed = bypass_l1 || block.l1 == nullptr ? sectors : block.l1->load(line, sectors);
  if (missed != 0) emit(block, instruction, SectorRun::kRead, line, missed);
  return static_cast<u32>(std::popcount(missed));
}

void count_global_load(Warp& w, u32 index, bool bypass_l1, const AddressPattern& p, u64 base) {
  Block& block = *w.block;
  u32 missed = 0;
  for (u32 i = 0; i < p.lines; ++i)
    missed += load_line(block, index, bypass_l1, base / kLineBytes + static_cast<u64>(p.line[i]),
                        p.line_sectors[i]);
  KernelCounters& totals = *block.totals;
  totals.l1_miss_sectors += missed;
  w.work[ResourceUse::kReadSectors] += missed;
  if (missed != 0) w.work[ResourceUse::kLoadedRegisters] += std::max(p.width / 4, 1u);
  totals.l1_hit_sectors += p.sectors - missed;
  (*block.counters)[index].l1_hit_sectors += p.sectors - missed;
  w.memory_level = missed == 0 ? MemoryLevel::kL1 : MemoryLevel::kBeyondL1;
  w.memory_sectors = missed;
  w.yield = true;  // the hardware switches warps here; so does the L1 model's view of their interleaving
}

/// L2 does the atomics: each sector by itself, and lanes that meet on a word of it one after the other.
void count_global_atomic(Block& block, const Instruction& in, InstructionCounters& counters,
                         AddressPattern& p, u64 base) {
  KernelCounters& totals = *block.totals;
  const InstructionInfo& info = block.grid->kernel->info[in.index];
  const auto phase = static_cast<u32>(base % kSectorBytes);
  if (p.atomic_turns == 0) find_meetings(p);
  if (p.met_phase != phase) find_met_sectors(p, phase);
  const bool one = info.atomic_form == AtomicForm::kOneLane && p.kind == AddressPattern::Kind::kUniform;
  const u64 lanes = one ? 1 : static_cast<u64>(std::popcount(p.mask));
  totals.atomic_lanes += lanes;
  const bool is_float = info.traits.type.kind == ptx::Type::Kind::kFloat;
  if (is_float) totals.atomic_float_lanes += lanes;
  counters.atomic_turns += one ? 1 : p.atomic_turns;
  // Doubles take a slice twice as long.
  const u64 each = is_float && p.width == 8 ? 2 : 1;
  for (u32 i = 0; i < p.met_sectors; ++i) {
    const AddressPattern::MetSector& met = p.met[i];
    const u64 turns = one ? 1 : met.turns;
    totals.atomic_sector_words += met.words;
    totals.atomic_met_sectors += 1;
    (p.width == 8 ? totals.atomic_more_turns_64 : totals.atomic_more_turns) += turns - 1;
    if (block.heat != nullptr)
      block.heat->slices.touch(base - phase + static_cast<u64>(met.sector) * static_cast<u64>(kSectorBytes),
                               turns * each);
  }
  if (block.heat == nullptr) return;
  if (one) return block.heat->addresses.touch(base);
  each_lane(p.mask, [&](u32 l) { block.heat->addresses.touch(base + p.difference[l]); });
}

/// Passes over the banks in each turn of a loop of compare and swap, in halves: it reads and swaps. Measured
/// on an H200 for floats, 3.5, and for 64 bits, 5.
constexpr u32 kHalfPassesOfALoop = 7, kHalfPassesOfALoop64 = 10;

/// What a shared atomic is beyond its wavefronts.
void count_shared_atomic(Warp& w, const InstructionInfo& info, InstructionCounters& counters, bool in_turns,
                         AddressPattern& p, u64 base) {
  if (p.atomic_turns == 0) find_meetings(p);
  counters.atomic_turns += in_turns ? p.atomic_turns : 1;
  if (info.atomic_form != AtomicForm::kLoop) return;
  const u32 turns = std::max(p.atomic_turns, p.width == 8 ? p.wavefronts / 2 : p.wavefronts);
  const u32 passes = turns * (p.width == 8 ? kHalfPassesOfALoop64 : kHalfPassesOfALoop) / 2;
  if (passes > p.wavefronts) {
    w.block->totals->shared_loop_passes += passes - p.wavefronts;
    w.work[ResourceUse::kSharedWavefronts] += passes - p.wavefronts;
    w.memory_passes = passes;
  }
  w.memory_turns = p.atomic_turns;
  w.memory_word = static_cast<u32>((base + p.difference[p.most_met]) / 4);
}

/// Lanes that meet need not take turns: they are counted, or one goes for all.
bool meets_at_once(const Block& block, const InstructionInfo& info, const AddressPattern& p) {
  const bool counts = block.grid->device->compute_major >= 8;
  const bool one_place = p.kind == AddressPattern::Kind::kUniform;
  switch (info.atomic_form) {
    case AtomicForm::kCounted:
      return counts;
    case AtomicForm::kCountedOrOneLane:
      return counts || one_place;
    case AtomicForm::kOneLane:
      return one_place;
    default:
      return false;
  }
}

}  // namespace

void count_global(Warp& w, const Instruction& in, AccessKind kind, bool bypass_l1, AddressPattern& p,
                  u64 base) {
  const auto phase = static_cast<u32>(base % kLineBytes);
  if (p.line_phase != phase) find_lines(p, phase);
  Block& block = *w.block;
  KernelCounters& totals = *block.totals;
  InstructionCounters& counters = (*block.counters)[in.index];
  const auto lanes = static_cast<u32>(std::popcount(p.mask));
  const u64 bytes = u64{lanes} * p.width;
  const u64 ideal = std::min<u64>(p.sectors, (bytes + kSectorBytes - 1) / kSectorBytes);
  counters.requests += 1;
  counters.sectors += p.sectors;
  counters.ideal_sectors += ideal;
  if (p.sectors > ideal) note_waste(counters, p);
  totals.ideal_sectors += ideal;
  totals.global_lines += p.lines;
  totals.global_passes += p.passes;
  totals.global_transfers += p.transfers;
  w.memory_passes = p.passes;
  w.memory_transfers = p.transfers;
  w.work[ResourceUse::kL1Passes] += p.passes;
  w.work[ResourceUse::kL1Transfers] += p.transfers;
  if (kind == AccessKind::kLoad) {
    totals.global_load_requests += 1;
    totals.global_load_bytes += bytes;
    totals.global_load_sectors += p.sectors;
    return count_global_load(w, in.index, bypass_l1, p, base);
  }
  const bool atomic = kind == AccessKind::kAtomic;
  for (u32 i = 0; i < p.lines; ++i)
    emit(block, in.index, atomic ? SectorRun::kAtomic : SectorRun::kWrite,
         base / kLineBytes + static_cast<u64>(p.line[i]), p.line_sectors[i]);
  w.memory_level = MemoryLevel::kBeyondL1;
  w.work[ResourceUse::kWrittenSectors] += p.sectors;
  w.memory_sectors = p.sectors;
  if (!atomic) {
    totals.global_store_requests += 1;
    totals.global_store_bytes += bytes;
    totals.global_store_sectors += p.sectors;
    return;
  }
  totals.atomic_requests += 1;
  totals.atomic_sectors += p.sectors;
  count_global_atomic(block, in, counters, p, base);
}

void count_shared(Warp& w, const Instruction& in, AccessKind kind, AddressPattern& p, u64 base) {
  const auto phase = static_cast<u32>(base % 4);
  Block& block = *w.block;
  const bool atomic = kind == AccessKind::kAtomic;
  const InstructionInfo* info = atomic ? &block.grid->kernel->info[in.index] : nullptr;
  const bool turns = atomic && !meets_at_once(block, *info, p);
  if (p.bank_phase != phase + (turns ? 4 : 0)) {
    find_wavefronts(p, phase, turns);
    p.bank_phase = phase + (turns ? 4 : 0);
  }
  KernelCounters& totals = *block.totals;
  InstructionCounters& counters = (*block.counters)[in.index];
  counters.requests += 1;
  counters.wavefronts += p.wavefronts;
  counters.ideal_wavefronts += p.ideal_wavefronts;
  if (p.wavefronts > p.ideal_wavefronts) note_waste(counters, p);
  totals.shared_requests += 1;
  totals.shared_wavefronts += p.wavefronts;
  w.work[ResourceUse::kSharedWavefronts] += p.wavefronts;
  totals.ideal_shared_wavefronts += p.ideal_wavefronts;
  w.memory_level = MemoryLevel::kShared;
  w.memory_passes = p.wavefronts;
  if (atomic) count_shared_atomic(w, *info, counters, turns, p, base);
}

/// A texture unit answers what it can from L1, like a load. How many sectors a warp needs of an array follows
/// from its tiles as much as from the program: no fewer would do. Memory without tiles is read as by loads.
void count_texels(Warp& w, const Instruction& in, const TexelRequest& request) {
  std::array<u64, TexelRequest::kMost * kWarpSize> sectors;
  u32 n = 0;
  u64 moved = 0;
  for (u32 t = 0; t < request.count; ++t)
    each_lane(request.masks[t], [&](u32 l) {
      const u64 sector = request.places[t][l] / kSectorBytes;
      if (n == 0 || sectors[n - 1] != sector) sectors[n++] = sector;
      if (t == 0) moved += request.width;
    });
  std::sort(sectors.begin(), sectors.begin() + n);
  n = static_cast<u32>(std::unique(sectors.begin(), sectors.begin() + n) - sectors.begin());
  Block& block = *w.block;
  const bool load = request.kind == AccessKind::kLoad;
  u32 lines = 0, beyond = 0;
  for (u32 i = 0; i < n; ++lines) {
    const u64 line = sectors[i] / 4;
    u32 touched = 0;
    for (; i < n && sectors[i] / 4 == line; ++i) touched |= 1u << sectors[i] % 4;
    if (load) {
      beyond += load_line(block, in.index, false, line, touched);
    } else {
      beyond += static_cast<u32>(std::popcount(touched));
      emit(block, in.index, SectorRun::kWrite, line, touched);
    }
  }
  constexpr u32 kLinesAtOnce = 4;
  const u32 passes = std::max({request.clocks, (lines + kLinesAtOnce - 1) / kLinesAtOnce, 1u});
  KernelCounters& totals = *block.totals;
  InstructionCounters& counters = (*block.counters)[in.index];
  counters.requests += 1;
  counters.sectors += n;
  const u32 ideal =
      request.tiled ? n : std::min(n, static_cast<u32>((moved + kSectorBytes - 1) / kSectorBytes));
  counters.ideal_sectors += ideal;
  totals.ideal_sectors += ideal;
  totals.global_lines += lines;
  totals.global_passes += passes;
  totals.global_transfers += passes;
  w.memory_passes = w.memory_transfers = passes;
  w.work[ResourceUse::kL1Passes] += passes;
  w.work[ResourceUse::kL1Transfers] += passes;
  w.memory_sectors = beyond;
  if (!load) {
    totals.global_store_requests += 1;
    totals.global_store_bytes += moved;
    totals.global_store_sectors += n;
    w.memory_level = MemoryLevel::kBeyondL1;
    w.work[ResourceUse::kWrittenSectors] += n;
    return;
  }
  totals.global_load_requests += 1;
  totals.global_load_bytes += moved;
  totals.global_load_sectors += n;
  totals.l1_miss_sectors += beyond;
  totals.l1_hit_sectors += n - beyond;
  counters.l1_hit_sectors += n - beyond;
  w.work[ResourceUse::kReadSectors] += beyond;
  if (beyond != 0) w.work[ResourceUse::kLoadedRegisters] += std::max(request.width / 4, 1u);
  w.memory_level = beyond == 0 ? MemoryLevel::kL1 : MemoryLevel::kBeyondL1;
  w.yield = true;
}

namespace {

/// Hardware interleaves local memory so that lanes which access the same local word touch one line of 32
/// words. A thread has `words` of them from `place` on.
void count_words(Warp& w, const Instruction& in, AccessKind kind, const AddressPattern& p, u64 base,
                 u64 place, u64 words) {
  Block& block = *w.block;
  const Grid& grid = *block.grid;
  const u64 threads = grid.block.count();
  const u64 warps = (threads + kWarpSize - 1) / kWarpSize;
  // Blocks that cannot be resident together share their place, as they do on the device.
  const u64 resident = std::max<u64>(1, grid.device->sms * (grid.device->max_threads_per_sm / threads));
  const u64 first_line =
      (grid.memory->window() + place) / kLineBytes + (block.linear_id % resident * warps + w.index) * words;
  const bool load = kind == AccessKind::kLoad;
  u32 sectors = 0, missed = 0, lines = 0;
  for (u32 left = p.mask; left != 0;) {
    const u64 word = (base + p.difference[static_cast<u32>(std::countr_zero(left))]) / 4;
    u32 touched = 0;
    each_lane(left, [&](u32 l) {
      if ((base + p.difference[l]) / 4 != word) return;
      touched |= 1u << l / 8;
      left &= ~(1u << l);
    });
    for (u64 k = 0; k < std::max(p.width / 4, 1u); ++k) {
      const u64 line = first_line + word + k;
      ++lines;
      sectors += static_cast<u32>(std::popcount(touched));
      const u32 absent = block.l1 != nullptr ? block.l1->load(line, touched) : touched;
      missed += static_cast<u32>(std::popcount(absent));
      // A store stays in L1 and is written back once; its sector is never fetched.
      if (absent != 0) emit(block, in.index, load ? SectorRun::kRead : SectorRun::kWrite, line, absent);
    }
  }
  InstructionCounters& counters = (*block.counters)[in.index];
  counters.local_requests += 1;
  counters.local_sectors += sectors;
  block.totals->local_requests += 1;
  block.totals->local_sectors += sectors;
  block.totals->global_lines += lines;
  w.memory_sectors = missed;
  w.memory_level = missed == 0 || !load ? MemoryLevel::kL1 : MemoryLevel::kBeyondL1;
  w.memory_passes = w.memory_transfers = std::max((sectors + 3) / 4, 1u);
  block.totals->global_passes += w.memory_passes;
  block.totals->global_transfers += w.memory_transfers;
  w.work[ResourceUse::kL1Passes] += w.memory_passes;
  w.work[ResourceUse::kL1Transfers] += w.memory_transfers;
  w.work[load ? ResourceUse::kReadSectors : ResourceUse::kWrittenSectors] += missed;
}

}  // namespace

void count_local(Warp& w, const Instruction& in, AccessKind kind, const AddressPattern& p, u64 base) {
  if ((in.flags & kAccessInRegister) != 0) return;
  count_words(w, in, kind, p, base, kLocalPlace, (w.block->local_bytes + 3) / 4);
}

void count_spilled(Warp& w, const Instruction& in, AccessKind kind) {
  AddressPattern same;
  same.mask = w.mask;
  same.width = in.width;
  count_words(w, in, kind, same, static_cast<u64>(in.immediate), kSpilledPlace,
              (w.block->grid->kernel->spilled_bytes + 3) / 4);
}

}  // namespace roofline::sim
