// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <limits>

#include "simulator/machine/access.h"

namespace roofline::sim {

namespace {

constexpr u32 kBanks = 32;
/// Lines of local memory in the modelled caches: a range above any device allocation that is likely to exist.
constexpr u64 kLocalLines = (u64{0x2000'0000'0000} + (u64{192} << 30)) / kLineBytes;

template <class Use>
void each(u32 mask, Use use) {
  for (; mask != 0; mask &= mask - 1) use(static_cast<u32>(std::countr_zero(mask)));
}

u32 words_of(const AddressPattern& p) { return std::max(p.width / 4, 1u); }

s64 first_word(const AddressPattern& p, u32 lane, u64 phase) {
  return static_cast<s64>(phase + p.difference[lane]) >> 2;
}

/// Passes over the banks for the lanes in `mask`, which the hardware serves together: the most different
/// words that one bank has to deliver. Lanes that want the same word share it.
u32 bank_passes(const AddressPattern& p, u32 mask, u64 phase) {
  s64 seen[kBanks][kBanks * 4];
  u32 n[kBanks] = {};
  each(mask, [&](u32 l) {
    for (u32 k = 0; k < words_of(p); ++k) {
      const s64 word = first_word(p, l, phase) + k;
      const u32 bank = static_cast<u32>(word) % kBanks;
      if (std::find(seen[bank], seen[bank] + n[bank], word) == seen[bank] + n[bank])
        seen[bank][n[bank]++] = word;
    }
  });
  return *std::max_element(n, n + kBanks);
}

/// Atomics do not share a word: they take turns.
u32 atomic_passes(const AddressPattern& p, u32 mask, u64 phase) {
  u32 n[kBanks] = {};
  each(mask, [&](u32 l) {
    for (u32 k = 0; k < words_of(p); ++k) ++n[static_cast<u32>(first_word(p, l, phase) + k) % kBanks];
  });
  return *std::max_element(n, n + kBanks);
}

/// Whether every lane of the group has the address of the lane that differs in `bit`, or that one is
/// inactive.
bool pairs_agree(const AddressPattern& p, u32 group, u32 bit) {
  bool agree = true;
  each(group, [&](u32 l) {
    const u32 other = l ^ bit;
    if ((group >> other & 1u) != 0 && p.difference[other] != p.difference[l]) agree = false;
  });
  return agree;
}

/// Lanes that are served together: all 32 for up to 4 bytes each, half a warp for 8, a quarter for 16.
u32 lanes_together(const AddressPattern& p) { return p.width <= 4 ? 32u : std::max(128 / p.width, 1u); }

u32 group_of(u32 at, u32 lanes) { return lanes == 32 ? ~0u : ((1u << lanes) - 1) << at; }

void add_group(AddressPattern& p, u32 mask, u64 phase, bool atomic) {
  if (mask == 0) return;
  p.wavefronts += atomic ? atomic_passes(p, mask, phase) : bank_passes(p, mask, phase);
  p.ideal_wavefronts += 1;
}

/// Two groups of wide loads go together when lanes pair up on equal addresses, so a broadcast costs half.
void find_wavefronts(AddressPattern& p, u32 phase, bool atomic) {
  p.wavefronts = p.ideal_wavefronts = 0;
  const u32 lanes = lanes_together(p);
  const u32 step = atomic ? lanes : std::min(lanes * 2, 32u);
  for (u32 at = 0; at < kWarpSize; at += step) {
    const u32 together = p.mask & group_of(at, step);
    if (step == lanes || pairs_agree(p, together, 1) || pairs_agree(p, together, 2)) {
      add_group(p, together, phase, atomic);
    } else {
      add_group(p, together & group_of(at, lanes), phase, atomic);
      add_group(p, together & group_of(at + lanes, lanes), phase, atomic);
    }
  }
}

/// The sectors of bytes [begin, end) of a row of lines, line by line.
void lines_of_range(AddressPattern& p, u64 begin, u64 end) {
  for (u64 line = begin / kLineBytes; line * kLineBytes < end; ++line, ++p.lines) {
    const u64 first = std::max(begin, line * kLineBytes) / kSectorBytes % 4;
    const u64 last = (std::min(end, (line + 1) * kLineBytes) - 1) / kSectorBytes % 4;
    p.line[p.lines] = static_cast<s64>(line);
    p.line_sectors[p.lines] = static_cast<u8>((2u << last) - (1u << first));
  }
}

/// Lanes in ascending order of lines; false (and nothing of use) when they are not.
bool lines_in_order(AddressPattern& p, u32 phase) {
  s64 last = std::numeric_limits<s64>::min();
  for (u32 mask = p.mask; mask != 0; mask &= mask - 1) {
    const s64 at = static_cast<s64>(phase + p.difference[static_cast<u32>(std::countr_zero(mask))]);
    const s64 line = at >> 7;
    const auto sector = static_cast<u8>(1u << (at >> 5 & 3));
    if (line < last) return false;
    if (line > last) {
      p.line[p.lines] = last = line;
      p.line_sectors[p.lines++] = sector;
    } else {
      p.line_sectors[p.lines - 1] = static_cast<u8>(p.line_sectors[p.lines - 1] | sector);
    }
  }
  return true;
}

void lines_in_any_order(AddressPattern& p, u32 phase) {
  u8 place[64] = {};  // 1 + index into p.line, hashed by line
  each(p.mask, [&](u32 l) {
    const s64 at = static_cast<s64>(phase + p.difference[l]);
    const s64 line = at >> 7;
    u32 slot = static_cast<u32>(static_cast<u64>(line) * 0x9e37'79b9'7f4a'7c15u >> 58);
    while (place[slot] != 0 && p.line[place[slot] - 1u] != line) slot = (slot + 1) % 64;
    if (place[slot] == 0) {
      p.line[p.lines] = line;
      p.line_sectors[p.lines] = 0;
      place[slot] = static_cast<u8>(++p.lines);
    }
    u8& sectors = p.line_sectors[place[slot] - 1u];
    sectors = static_cast<u8>(sectors | 1u << (at >> 5 & 3));
  });
}

/// Lines and sectors touched when the base address is `phase` bytes into its line. An aligned access of up to
/// 32 bytes never straddles two sectors.
/// Passes of L1's data path: it looks up four lines a clock and has the banks of shared memory, whichever
/// takes longer (gpu-strides of gpu-benches with hardware counters, and the probes on an H100 and an H200).
u32 l1_passes(const AddressPattern& p, u32 phase) {
  constexpr u32 kLinesAtOnce = 4;
  const u32 by_lines = (p.lines + kLinesAtOnce - 1) / kLinesAtOnce;
  if (p.kind == AddressPattern::Kind::kUnit) return std::max(words_of(p), by_lines);
  u32 by_banks = 0;
  const u32 lanes = lanes_together(p);
  for (u32 at = 0; at < kWarpSize; at += lanes)
    if (const u32 together = p.mask & group_of(at, lanes); together != 0)
      by_banks += p.kind == AddressPattern::Kind::kUniform ? 1 : bank_passes(p, together, phase);
  return std::max(by_banks, by_lines);
}

void find_lines(AddressPattern& p, u32 phase) {
  p.line_phase = phase;
  p.lines = p.sectors = 0;
  if (p.kind == AddressPattern::Kind::kUniform || p.kind == AddressPattern::Kind::kUnit) {
    lines_of_range(p, phase, phase + static_cast<u64>(p.highest) + p.width);
  } else if (!lines_in_order(p, phase)) {
    p.lines = 0;
    lines_in_any_order(p, phase);
  }
  for (u32 i = 0; i < p.lines; ++i) p.sectors += static_cast<u32>(std::popcount(p.line_sectors[i]));
  p.passes = l1_passes(p, phase);
}

/// The distance between neighbouring active lanes that holds for most of them (majority vote, then a count).
s32 find_stride(const AddressPattern& p) {
  s64 candidate = 0;
  u32 lead = 0, pairs = 0, agree = 0;
  const auto each_pair = [&](auto use) {
    auto last = static_cast<u32>(std::countr_zero(p.mask));
    each(p.mask & (p.mask - 1), [&](u32 l) {
      use(static_cast<s64>(p.difference[l] - p.difference[last]) / static_cast<s64>(l - last));
      last = l;
    });
  };
  each_pair([&](s64 distance) {
    ++pairs;
    if (lead == 0) candidate = distance;
    lead = distance == candidate ? lead + 1 : lead - 1;
  });
  each_pair([&](s64 distance) { agree += distance == candidate ? 1 : 0; });
  const bool fits = candidate > -InstructionCounters::kNoStride && candidate < InstructionCounters::kNoStride;
  return agree * 2 > pairs && fits ? static_cast<s32>(candidate) : InstructionCounters::kNoStride;
}

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

/// The most lanes that meet one address.
u32 same_address(AddressPattern& p) {
  if (p.atomic_turns != 0) return p.atomic_turns;
  for (u32 left = p.mask; left != 0;) {
    const u64 first = p.difference[static_cast<u32>(std::countr_zero(left))];
    u32 same = 0;
    each(left, [&](u32 l) { same |= p.difference[l] == first ? 1u << l : 0u; });
    left &= ~same;
    p.atomic_turns = std::max(p.atomic_turns, static_cast<u32>(std::popcount(same)));
  }
  return p.atomic_turns;
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

AddressPattern::Kind kind_of_full_warp(AddressPattern& p) {
  u64 unit = 0;
  bool octets = true;
  p.unit_octets = 0;
  for (u32 o = 0; o < kWarpSize; o += 8) {
    u64 uniform_here = 0, unit_here = 0;
    for (u32 l = 0; l < 8; ++l) {
      unit |= p.difference[o + l] ^ u64 { o + l } * p.width;
      uniform_here |= p.difference[o + l] ^ p.difference[o];
      unit_here |= (p.difference[o + l] - p.difference[o]) ^ u64 { l } * p.width;
    }
    octets = octets && (uniform_here == 0 || unit_here == 0);
    if (unit_here == 0) p.unit_octets = static_cast<u8>(p.unit_octets | 1u << o / 8);
  }
  if (unit == 0) return AddressPattern::Kind::kUnit;
  return octets ? AddressPattern::Kind::kOctets : AddressPattern::Kind::kGeneral;
}

}  // namespace

void analyse_pattern(AddressPattern& p, u32 mask, u32 width) {
  p.mask = mask;
  p.width = width;
  p.bank_phase = p.line_phase = ~0u;
  p.has_stride = false;
  p.atomic_turns = 0;
  p.lowest = p.highest = 0;
  p.low_bits = 0;
  for (u32 l = 0; l < kWarpSize; ++l) {
    const auto difference = static_cast<s64>(p.difference[l]);
    p.lowest = std::min(p.lowest, difference);
    p.highest = std::max(p.highest, difference);
    p.low_bits |= p.difference[l];
  }
  p.kind = p.low_bits == 0 ? AddressPattern::Kind::kUniform
           : mask == ~0u   ? kind_of_full_warp(p)
                           : AddressPattern::Kind::kGeneral;
}

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
  w.memory_passes = p.passes;
  w.work[ResourceUse::kL1Passes] += p.passes;
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
  totals.atomic_lanes += lanes;
  counters.atomic_turns += same_address(p);
  if (block.heat != nullptr) each(p.mask, [&](u32 l) { block.heat->touch(base + p.difference[l]); });
}

void count_shared(Warp& w, const Instruction& in, AccessKind kind, AddressPattern& p, u64 base) {
  const auto phase = static_cast<u32>(base % 4);
  const bool atomic = kind == AccessKind::kAtomic;
  if (p.bank_phase != phase + (atomic ? 4 : 0)) {
    find_wavefronts(p, phase, atomic);
    p.bank_phase = phase + (atomic ? 4 : 0);
  }
  Block& block = *w.block;
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
  if (atomic) counters.atomic_turns += same_address(p);
  w.memory_level = MemoryLevel::kShared;
  w.memory_passes = p.wavefronts;
}

/// Hardware interleaves local memory so that lanes which access the same local word touch one line of 32
/// words.
void count_local(Warp& w, const Instruction& in, AccessKind kind, const AddressPattern& p, u64 base) {
  Block& block = *w.block;
  const Grid& grid = *block.grid;
  const u64 words = (block.local_bytes + 3) / 4;
  const u64 threads = grid.block.count();
  const u64 warps = (threads + kWarpSize - 1) / kWarpSize;
  // Blocks that cannot be resident together share their place, as they do on the device.
  const u64 resident = std::max<u64>(1, grid.device->sms * (grid.device->max_threads_per_sm / threads));
  const u64 first_line = kLocalLines + (block.linear_id % resident * warps + w.index) * words;
  const bool load = kind == AccessKind::kLoad;
  u32 sectors = 0, missed = 0, lines = 0;
  for (u32 left = p.mask; left != 0;) {
    const u64 word = (base + p.difference[static_cast<u32>(std::countr_zero(left))]) / 4;
    u32 touched = 0;
    each(left, [&](u32 l) {
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
  w.memory_passes = std::max((sectors + 3) / 4, 1u);
  block.totals->global_passes += w.memory_passes;
  w.work[ResourceUse::kL1Passes] += w.memory_passes;
  w.work[load ? ResourceUse::kReadSectors : ResourceUse::kWrittenSectors] += missed;
}

}  // namespace roofline::sim
