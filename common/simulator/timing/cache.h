// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <vector>

#include "simulator/program/address_windows.h"
#include "simulator/program/counters.h"
#include "simulator/program/memory_homes.h"
#include "simulator/types.h"

namespace roofline::sim {

/// One global-memory transaction as it leaves an SM: sectors of consecutive lines, in ascending order.
/// `first_sector` is address / 32; `count` sectors follow each other (one coalesced warp request is one run).
struct SectorRun {
  u64 first_sector : 58;
  u64 kind : 6;  ///< SectorRun::Kind
  u32 count;
  u32 instruction;  ///< index into Function::info
  enum Kind : u64 { kRead, kWrite, kAtomic };
};

/// L1 of one block: its share of the SM's cache. Sectored lines, write-through, no allocation on stores.
/// Capacity 0 means no cache. One object per executing block, reset between blocks (reset costs nothing).
class L1Cache {
 public:
  explicit L1Cache(u64 bytes);
  void reset();
  /// Looks up one line and allocates what misses; returns the mask (4 bits) of the requested sectors that
  /// missed.
  u32 load(u64 line, u32 sector_mask);
  /// Drops a line: volatile loads, and stores whose value a later load must see again.
  void invalidate(u64 line);

 private:
  static constexpr u32 kWays = 8;
  struct alignas(64) Set {
    std::array<u64, kWays> tag;    ///< of no line that is present: empty
    std::array<u32, kWays> stamp;  ///< last use
    std::array<u8, kWays> sectors;
  };
  Set& set_of(u64 line);
  /// What a way is marked with that holds the line: marks from before the last reset are others.
  u64 round_tag(u64 line) const { return u64{round_} << 48 | line; }

  std::vector<Set> sets_;
  u32 clock_ = 0;
  u16 round_ = 0;  ///< of resets; never 0
};

class ManagedMemory;  // timing/managed_memory.h

/// The device's L2: set-associative, 32-byte sectors in 128-byte lines, write-back. It sees the blocks' runs
/// in launch order, whatever cores executed them, so that its result does not depend on the host. The
/// write-back of a sector is charged when the sector becomes dirty: a streaming kernel pays for what it
/// writes, a kernel that rewrites what L2 holds does not. Stores never read DRAM; reads of dirty sectors hit.
/// An atomic counts as a read (it needs the old value) and makes its sectors dirty.
class L2Cache {
 public:
  struct Traffic {
    u64 read_sectors = 0, read_hits = 0, write_sectors = 0, dram_read_bytes = 0, dram_write_bytes = 0;
    u64 host_read_bytes = 0, host_write_bytes = 0;  ///< pinned memory of the host: over the link, past L2
    std::vector<PeerBytes> peers{};  ///< memory of other devices: over the link between them, past this L2
    struct Reads {
      u64 sectors = 0, hits = 0;
    };
    std::vector<Reads> by_instruction{};  ///< as long as Function::info, or empty: not wanted
  };
  /// `ways` is at most 16.
  L2Cache(u64 bytes, u32 ways);
  /// Applies runs in order and adds to `traffic`.
  void access(const SectorRun* runs, size_t n, Traffic& traffic);
  /// Whether a sector is present, without changing anything.
  bool contains(u64 sector) const;
  void invalidate_all();
  /// Shows all runs to the pages of managed memory, too; nullptr: to nobody.
  void set_managed(ManagedMemory* managed) { managed_ = managed; }
  /// Where the device's own memory lies, and which other addresses show it or that of other devices, which
  /// goes over the link. `homes` outlives it.
  void set_window(u64 begin, u64 bytes, const MemoryHomes& homes) {
    window_ = begin;
    window_bytes_ = bytes;
    homes_ = &homes;
  }

 private:
  static constexpr u32 kMaxWays = 16;
  /// Tags first and 64-byte aligned: one cache line of the host answers most look-ups.
  struct alignas(64) Set {
    std::array<u32, kMaxWays> tag;
    std::array<u8, kMaxWays> state;  ///< low four bits: valid sectors; high four bits: dirty sectors
    u16 referenced;                  ///< ways hit since the replacement hand passed them
    u16 hand;                        ///< next way to consider for replacement
  };
  u64 set_index(u64 line) const;
  u32 victim(Set& set) const;
  void access_line(u64 line, u32 sectors, SectorRun::Kind kind, Traffic& traffic);
  void access_own(const SectorRun& run, Traffic& traffic);
  /// Outside the device's window; `near`: around the last address whose home was asked for.
  void access_elsewhere(SectorRun run, Traffic& traffic, MemoryHomes::Span& near);
  static void over_a_link(const SectorRun& run, PeerBytes& moved, Traffic& traffic);

  std::vector<Set> sets_;
  u64 inverse_ = 0;  ///< 2^64 / sets, to divide by multiplying
  u32 ways_ = 0;
  ManagedMemory* managed_ = nullptr;
  u64 window_ = kDeviceWindow, window_bytes_ = kDeviceStride;
  const MemoryHomes* homes_ = &MemoryHomes::of_windows();
};

}  // namespace roofline::sim
