// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/types.h"

namespace roofline::sim {

/// One global-memory transaction as it leaves an SM: sectors of consecutive lines, in ascending order.
/// `first_sector` is address / 32; `count` sectors follow each other (one coalesced warp request is one run).
struct SectorRun {
  u64 first_sector : 58;
  u64 kind : 6;          ///< SectorRun::Kind
  u32 count;
  u32 instruction;       ///< index into Function::info
  enum Kind : u64 { kRead, kWrite, kAtomic };
};

/// L1 of one block: its share of the SM's cache. Sectored lines, write-through, no allocation on stores.
/// Capacity 0 means no cache. One object per executing block, reset between blocks.
class L1Cache {
 public:
  explicit L1Cache(u64 bytes);
  void reset();
  /// Looks up one line and allocates what misses; returns the mask (4 bits) of the requested sectors that missed.
  u32 load(u64 line, u32 sector_mask);
  /// A store updates nothing and drops nothing that the model cares about; kept for symmetry and volatile loads.
  void invalidate(u64 line);

 private:
  struct Way {
    u64 line;
    u32 sectors;
    u32 stamp;
  };
  std::vector<Way> ways_;
  u32 sets_ = 0, associativity_ = 0, clock_ = 0;
};

/// The device's L2: set-associative, 32-byte sectors in 128-byte lines, write-back. It sees the blocks' runs in
/// launch order, whatever cores executed them, so that its result does not depend on the host.
/// The write-back of a sector is charged when the sector becomes dirty: a streaming kernel pays for what it
/// writes, a kernel that rewrites what L2 holds does not.
class L2Cache {
 public:
  struct Traffic {
    u64 read_sectors = 0, read_hits = 0, write_sectors = 0, dram_read_bytes = 0, dram_write_bytes = 0;
  };
  L2Cache(u64 bytes, u32 ways);
  /// Applies runs in order and adds to `traffic`.
  void access(const SectorRun* runs, size_t n, Traffic& traffic);
  /// Whether a sector is present, without changing anything.
  bool contains(u64 sector) const;
  void invalidate_all();

 private:
  struct Line {
    u64 tag;
    u8 valid, dirty;
    u16 stamp;
  };
  std::vector<Line> lines_;
  u64 sets_ = 0;
  u32 ways_ = 0;
  u32 clock_ = 0;
};

}  // namespace roofline::sim
