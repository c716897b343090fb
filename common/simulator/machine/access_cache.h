// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "simulator/program/instruction.h"
#include "simulator/types.h"

/// Memos that make the checked access path cheap. Nothing here changes a result: an entry that does not fit
/// is computed anew.
namespace roofline::sim {

/// Generic addresses of kernel parameters (cvta.param); never mapped.
inline constexpr u64 kParamWindow = 0x0004'0000'0000'0000;
/// Shared, local and parameter addresses are 32 bits wide behind their window.
inline constexpr u64 kWindowBytes = u64{1} << 32;

/// Instruction::flags of the rows that access memory.
inline constexpr u16 kAccessBypassL1 = 1;  ///< .volatile, .cg, .cv, atomics: answered by L2
inline constexpr u16 kAccessOrdered = 2;   ///< its outcome depends on the order of blocks: run them in turns
inline constexpr u16 kAccessResult =
    4;  ///< atomic whose old value goes to a register: ordered if that is read
inline constexpr u16 kAccessNarrow = 8;      ///< the address register is 32 bits wide
inline constexpr u16 kAccessSpaceShift = 4;  ///< four bits are a ptx::Space
inline constexpr u16 kAccessSpaceBits = 0xf;
inline constexpr u16 kAccessDeferrable =
    0x100;  ///< ordered atomic that may be done later (machine/deferred_atomics.h) if its old value is not
            ///< read

/// The addresses of one warp request relative to the first active lane's, and all that follows from them
/// alone. A loop walks memory with the same pattern again and again; comparing is much cheaper than
/// analysing.
struct AddressPattern {
  /// kOctets: each eight lanes, counted from lane 0, are uniform or unit-stride on their own, as in rows of a
  /// 2D block of 8 or 16 threads. kUnit and kOctets only when all lanes are active.
  enum class Kind : u8 { kUniform, kUnit, kOctets, kGeneral };

  alignas(64) std::array<u64, kWarpSize> difference{};  ///< 0 in inactive lanes
  alignas(
      64) std::array<u32, kWarpSize> narrow_difference{};  ///< the same, when the addresses are 32 bits wide
  bool narrow = false;
  u32 mask = 0;        ///< 0: holds nothing yet, or every request must be shown to an observer
  u32 known_mask = 0;  ///< the same, but for observers
  u32 width = 0;       ///< bytes a lane
  Kind kind = Kind::kGeneral;
  u8 unit_octets = 0;           ///< kOctets: bit o is set when lanes 8o to 8o+7 are unit-stride
  s64 lowest = 0, highest = 0;  ///< of the differences
  u64 low_bits = 0;             ///< their union: alignment

  /// Shared memory: passes over the banks. Shifting all addresses by whole words does not change it.
  u32 bank_phase = ~0u;  ///< base address mod 4 it was computed for, + 4 for atomics; ~0: not yet
  u32 wavefronts = 0, ideal_wavefronts = 0;

  /// Global memory: the lines touched, in the order of lanes, relative to the line of the base address.
  u32 line_phase = ~0u;  ///< base address mod 128 it was computed for; ~0: not yet
  u32 lines = 0, sectors = 0, passes = 0;
  std::array<s64, kWarpSize> line;
  std::array<u8, kWarpSize> line_sectors;
  /// Groups of lanes that are served together, and their passes over the banks: as those of shared memory.
  u32 transfer_phase = ~0u;  ///< base address mod 4 it was computed for; ~0: not yet
  u32 transfers = 0, transfer_passes = 0;

  /// For advice; computed when a request first needs it.
  bool has_stride = false;
  s32 stride = 0;  ///< bytes between most neighbouring lanes; InstructionCounters::kNoStride: none

  /// Atomics: most lanes on one address (0: not known yet), and what each sector that they meet in has to do.
  u32 atomic_turns = 0, most_met = 0;  ///< most_met: the first lane that such a turn begins with
  u32 met_phase = ~0u;                 ///< base address mod 32 it was computed for; ~0: not yet
  u32 met_sectors = 0;
  struct MetSector {
    s64 sector = 0;  ///< relative to the base's
    u8 words = 0;    ///< different addresses
    u8 turns = 0;    ///< most lanes on one of them
  };
  std::array<MetSector, kWarpSize> met;
};

struct AccessEntry {
  AddressPattern pattern;
  /// The allocation that the last request of this instruction went to.
  u64 epoch = 0, begin = 0, end = 0;
  bool read_only = false, constant = false;
};

/// Neighbouring bytes whose atomics one slice of L2 does, one turn after the other: seen on H100 and H200.
inline constexpr u64 kSliceBytes = 512;

/// One for each host thread that runs blocks.
class AccessCache {
 public:
  static constexpr std::size_t kEntries = 64;
  std::array<AccessEntry, kEntries> entries;
  /// Pointers of a request whose lanes have no common base (local memory, several allocations).
  alignas(64) std::array<u64, kWarpSize> pointers{};

  AccessEntry& entry(const Instruction& in, u32 part) { return entries[(in.index + part * 29) % kEntries]; }
};

/// How often atomics met in a place of global memory: one counter for `bytes` of a range of kPlaces times
/// that, so that places so far apart share one. The largest counter is exact for arrays of up to that size,
/// and an upper bound otherwise.
template <u64 kBytes, u64 kPlaces>
class MeetingPlaces {
 public:
  void touch(u64 address, u64 times = 1) {
    u32& n = met_[address / kBytes % kPlaces];
    n += static_cast<u32>(std::min<u64>(times, std::numeric_limits<u32>::max() - n));
  }
  void add(const MeetingPlaces& other) {
    for (u64 i = 0; i < kPlaces; ++i)
      met_[i] += std::min(other.met_[i], std::numeric_limits<u32>::max() - met_[i]);
  }
  void clear() { std::fill(met_.begin(), met_.end(), 0); }
  u64 max() const { return *std::max_element(met_.begin(), met_.end()); }

 private:
  std::vector<u32> met_ = std::vector<u32>(kPlaces);
};

/// Of one host thread.
struct AtomicHeat {
  MeetingPlaces<4, 16384> addresses;        ///< lanes that came to one address
  MeetingPlaces<kSliceBytes, 4096> slices;  ///< turns in what one slice of L2 does

  void add(const AtomicHeat& other) {
    addresses.add(other.addresses);
    slices.add(other.slices);
  }
  void clear() {
    addresses.clear();
    slices.clear();
  }
};

}  // namespace roofline::sim
