// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/access_pattern.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "simulator/program/counters.h"

namespace roofline::sim {
namespace {

constexpr u32 kBanks = 32;

/// What a lane takes of the banks: a word, or the words of its 8, 16 or 32 bytes, which are aligned and
/// therefore side by side.
u32 piece_bits(const AddressPattern& p) { return static_cast<u32>(std::countr_zero(std::max(p.width, 4u))); }

/// Pieces of memory are numbered from the base's line, or its word, on; lanes with the same number share one.
s64 piece_of(const AddressPattern& p, u32 lane, u64 phase) {
  return static_cast<s64>(phase + p.difference[lane]) >> piece_bits(p);
}

/// Passes over the banks for the lanes in `mask`, which the hardware serves together: the most different
/// words that one bank has to deliver. Lanes that want the same word share it.
u32 bank_passes(const AddressPattern& p, u32 mask, u64 phase) {
  const u32 banks = kBanks * 4 >> piece_bits(p);  // that hold a piece
  s64 seen[kBanks][kBanks];                       // by pass, then by bank
  u32 n[kBanks] = {};
  u32 most = 0;
  each_lane(mask, [&](u32 l) {
    const s64 piece = piece_of(p, l, phase);
    const u32 bank = static_cast<u32>(piece) % banks;
    u32 pass = 0;
    while (pass < n[bank] && seen[pass][bank] != piece) ++pass;
    if (pass < n[bank]) return;
    seen[pass][bank] = piece;
    n[bank] = pass + 1;
    most = std::max(most, n[bank]);
  });
  return most;
}

/// Atomics do not share a word: they take turns.
u32 atomic_passes(const AddressPattern& p, u32 mask, u64 phase) {
  u32 n[kBanks] = {};
  const u32 banks = kBanks * 4 >> piece_bits(p);
  each_lane(mask, [&](u32 l) { ++n[static_cast<u32>(piece_of(p, l, phase)) % banks]; });
  return *std::max_element(n, n + kBanks);
}

/// Whether every lane of the group has the address of the lane that differs in `bit`, or that one is
/// inactive.
bool pairs_agree(const AddressPattern& p, u32 group, u32 bit) {
  bool agree = true;
  each_lane(group, [&](u32 l) {
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

/// The sectors of bytes [begin, end) of a row of lines, line by line.
void lines_of_range(AddressPattern& p, u64 begin, u64 end) {
  for (u64 line = begin / kLineBytes; line * kLineBytes < end; ++line, ++p.lines) {
    const u64 first = std::max(begin, line * kLineBytes) / kSectorBytes % 4;
    const u64 last = (std::min(end, (line + 1) * kLineBytes) - 1) / kSectorBytes % 4;
    p.line[p.lines] = static_cast<s64>(line);
    p.line_sectors[p.lines] = static_cast<u8>((2u << last) - (1u << first));
  }
}

/// Active lanes but those in the sector of the lane before, which add nothing to the lines. The lanes of a
/// full warp are compared side by side: where a base moves by less than a line from request to request, as
/// in a row of a matrix, lines are looked for at each request.
u32 lanes_in_new_sectors(const AddressPattern& p, u32 phase) {
  if (p.mask != ~0u) return p.mask;
  const auto sector = [&](u32 l) { return (phase + p.difference[l]) / kSectorBytes; };
  u32 lanes = 1;
  for (u32 l = 1; l < kWarpSize; ++l) lanes |= sector(l) != sector(l - 1) ? 1u << l : 0u;
  return lanes;
}

/// `lanes` in ascending order of lines; false (and nothing of use) when they are not.
bool lines_in_order(AddressPattern& p, u32 lanes, u32 phase) {
  s64 last = std::numeric_limits<s64>::min();
  for (u32 mask = lanes; mask != 0; mask &= mask - 1) {
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

void lines_in_any_order(AddressPattern& p, u32 lanes, u32 phase) {
  u8 place[64] = {};  // 1 + index into p.line, hashed by line
  each_lane(lanes, [&](u32 l) {
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

/// The groups of lanes that are served together, and their passes over the banks.
void find_groups(AddressPattern& p, u32 phase) {
  const u32 lanes = lanes_together(p);
  const bool at_once = p.kind == AddressPattern::Kind::kUnit || p.kind == AddressPattern::Kind::kUniform;
  p.transfers = p.transfer_passes = 0;
  for (u32 at = 0; at < kWarpSize; at += lanes) {
    const u32 together = p.mask & group_of(at, lanes);
    if (together == 0) continue;
    p.transfer_passes += at_once ? 1 : bank_passes(p, together, phase);
    p.transfers += 1;
  }
}

/// What the request takes of L1's data path. It looks up four lines a clock and has the banks of shared
/// memory: passes, by whichever takes longer. And each group of lanes that are served together gets the 128
/// bytes of one row of registers, however few bytes they read: transfers (gpu-strides of gpu-benches with
/// hardware counters, and the probes on an H100 and an H200).
void find_data_path(AddressPattern& p, u32 phase) {
  constexpr u32 kLinesAtOnce = 4;
  if (p.transfer_phase != phase % 4) {
    find_groups(p, phase);
    p.transfer_phase = phase % 4;
  }
  p.passes = std::max(p.transfer_passes, (p.lines + kLinesAtOnce - 1) / kLinesAtOnce);
}

/// Numbers what the lanes of a warp have, 0, 1, ..., in the order in which it first comes up.
class Numbering {
 public:
  u32 number_of(u64 value) {
    u32 at = static_cast<u32>(value * 0x9e3779b97f4a7c15 >> 56);
    while (slots_[at] != 0 && values_[slots_[at] - 1] != value) at = (at + 1) % kSlots;
    if (slots_[at] == 0) {
      values_[count_] = value;
      slots_[at] = static_cast<u8>(++count_);
    }
    return slots_[at] - 1;
  }
  u32 count() const { return count_; }

 private:
  static constexpr u32 kSlots = 256;  // so many that two values seldom want the same
  u64 values_[kWarpSize];
  u8 slots_[kSlots] = {};  ///< number + 1; 0: empty
  u32 count_ = 0;
};

/// Which lanes meet: the words that they go to, how many go to each, and the first of them.
struct Meetings {
  u32 words = 0;
  u8 lanes[kWarpSize] = {}, first[kWarpSize];

  explicit Meetings(const AddressPattern& p) {
    Numbering numbering;
    each_lane(p.mask, [&](u32 l) {
      const u32 word = numbering.number_of(p.difference[l]);
      if (lanes[word]++ == 0) first[word] = static_cast<u8>(l);
    });
    words = numbering.count();
  }
};

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
  p.bank_phase = p.line_phase = p.transfer_phase = ~0u;
  p.has_stride = false;
  p.atomic_turns = 0;
  p.met_phase = ~0u;
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

/// Lines and sectors touched when the base address is `phase` bytes into its line. An aligned access of up to
/// 32 bytes never straddles two sectors.
void find_lines(AddressPattern& p, u32 phase) {
  p.line_phase = phase;
  p.lines = p.sectors = 0;
  if (p.kind == AddressPattern::Kind::kUniform || p.kind == AddressPattern::Kind::kUnit) {
    lines_of_range(p, phase, phase + static_cast<u64>(p.highest) + p.width);
  } else if (const u32 lanes = lanes_in_new_sectors(p, phase); !lines_in_order(p, lanes, phase)) {
    p.lines = 0;
    lines_in_any_order(p, lanes, phase);
  }
  for (u32 i = 0; i < p.lines; ++i) p.sectors += static_cast<u32>(std::popcount(p.line_sectors[i]));
  find_data_path(p, phase);
}

s32 find_stride(const AddressPattern& p) {
  s64 candidate = 0;
  u32 lead = 0, pairs = 0, agree = 0;
  const auto each_pair = [&](auto use) {
    auto last = static_cast<u32>(std::countr_zero(p.mask));
    each_lane(p.mask & (p.mask - 1), [&](u32 l) {
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

void find_meetings(AddressPattern& p) {
  const Meetings meetings(p);
  p.atomic_turns = 0;
  for (u32 word = 0; word < meetings.words; ++word) {
    if (meetings.lanes[word] <= p.atomic_turns) continue;
    p.atomic_turns = meetings.lanes[word];
    p.most_met = meetings.first[word];
  }
}

void find_met_sectors(AddressPattern& p, u32 phase) {
  const Meetings meetings(p);
  Numbering sectors;
  p.met_phase = phase;
  p.met_sectors = 0;
  for (u32 word = 0; word < meetings.words; ++word) {
    const s64 sector =
        (static_cast<s64>(p.difference[meetings.first[word]]) + phase) >> std::countr_zero(kSectorBytes);
    const u32 at = sectors.number_of(static_cast<u64>(sector));
    if (at == p.met_sectors) p.met[p.met_sectors++] = {.sector = sector};
    p.met[at].words += 1;
    p.met[at].turns = std::max(p.met[at].turns, meetings.lanes[word]);
  }
}

}  // namespace roofline::sim
