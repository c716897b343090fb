// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "simulator/device/device.h"
#include "simulator/machine/access.h"
#include "simulator/machine/memory.h"

/// The access path against its plain definition, on random address patterns: whatever shortcut it takes,
/// every lane's pointer, every claim about the pattern and every count must be what a naive computation
/// gives.
namespace roofline::sim {
namespace {

using Addresses = std::array<u64, kWarpSize>;

class AccessPatterns : public testing::Test {
 protected:
  AccessPatterns() {
    device_.sms = 108;
    device_.max_threads_per_sm = 2048;
    grid_.memory = &memory_;
    grid_.device = &device_;
    grid_.block = {32, 1, 1};
    block_.grid = &grid_;
    block_.shared = shared_.data();
    block_.shared_bytes = shared_.size();
    block_.access = &cache_;
    block_.counters = &counters_;
    block_.totals = &totals_;
    warp_.block = &block_;
    warp_.bank[0] = frame_.data();
    base_ = memory_.allocate(kBytes, "buffer");
  }

  /// Offsets below `limit`, multiples of `width`, of one of the shapes that programs use, or of none.
  Addresses offsets(u32 width, u64 limit) {
    const auto pick = [&](u64 n) { return random_() % n; };
    const u64 slots = limit / width;
    Addresses a;
    const u64 shape = pick(8), row = u64{8} << pick(3), stride = 1 + pick(40), pitch = 1 + pick(200);
    for (u64 l = 0; l < kWarpSize; ++l) switch (shape) {
        case 0:
          a[l] = 0;
          break;
        case 1:
          a[l] = l;
          break;
        case 2:
          a[l] = l * stride;
          break;
        case 3:
          a[l] = l % row + l / row * pitch;
          break;  // rows of a 2D block
        case 4:
          a[l] = l % row * pitch + l / row;
          break;  // columns
        case 5:
          a[l] = l / row * pitch;
          break;  // one word a row
        case 6:
          a[l] = (l * 13 + 5) % 32;
          break;  // a permutation
        default:
          a[l] = pick(slots);
          break;
      }
    const u64 start = shape == 7 ? 0 : pick(slots - 32 * 200);
    if (shape != 7 && pick(4) == 0)
      for (u64& x : a) x = 32 * 199 - x;  // descending
    for (u64& x : a) x = (x + start) * width;
    return a;
  }

  /// One request through a register row of 32 or 64 bits.
  Access request(AccessKind kind, ptx::Space space, const Addresses& addresses, u32 mask, u32 width,
                 bool narrow, u32 index) {
    Instruction in;
    in.a = Slot{64};
    in.immediate = static_cast<s64>(random_() % 3) * 64 - 64;
    in.width = static_cast<u8>(width);
    in.flags = access_flags(space, narrow);
    in.index = index;
    for (u32 l = 0; l < kWarpSize; ++l) {
      const u64 value = (mask >> l & 1u) != 0 ? addresses[l] - static_cast<u64>(in.immediate) : random_();
      if (narrow)
        warp_.row<u32>(in.a)[l] = static_cast<u32>(value);
      else
        warp_.row<u64>(in.a)[l] = value;
    }
    warp_.mask = mask;
    totals_ = {};
    block_.runs.clear();
    return begin_access(warp_, in, kind);
  }

  void expect_pointers(const Access& access, const Addresses& expected, u32 mask, u32 width) {
    using Kind = AddressPattern::Kind;
    const u32 first = static_cast<u32>(std::countr_zero(mask));
    if (access.kind == Kind::kUnit || access.kind == Kind::kOctets) {
      ASSERT_EQ(mask, ~0u);
    }
    for (u32 l = 0; l < kWarpSize; ++l) {
      if ((mask >> l & 1u) == 0) continue;
      ASSERT_EQ(reinterpret_cast<u64>(access.lane(l)), expected[l]) << l;
      const u32 octet = l / 8 * 8;
      const bool unit_octet = (access.unit_octets >> l / 8 & 1u) != 0;
      u64 claimed = expected[l];
      if (access.kind == Kind::kUniform) claimed = expected[first];
      if (access.kind == Kind::kUnit) claimed = expected[0] + l * width;
      if (access.kind == Kind::kOctets) claimed = expected[octet] + (unit_octet ? (l - octet) * width : 0);
      ASSERT_EQ(claimed, expected[l]) << l;
    }
  }

  u32 random_mask() {
    switch (random_() % 4) {
      case 0:
        return static_cast<u32>(random_()) | 1u << random_() % 32;
      case 1:
        return ~0u >> random_() % 32;
      default:
        return ~0u;
    }
  }

  static constexpr u64 kBytes = u64{1} << 22;
  std::mt19937_64 random_{20240229};
  Memory memory_{u64{1} << 30};
  DeviceDescription device_;
  Grid grid_;
  Block block_;
  Warp warp_;
  AccessCache cache_;
  KernelCounters totals_;
  std::vector<InstructionCounters> counters_ = std::vector<InstructionCounters>(64);
  alignas(64) std::array<u8, 131072> shared_{};
  alignas(64) std::array<u8, 4096> frame_{};
  u64 base_ = 0;
};

// Breaks when a shortcut for global memory gives a wrong pointer, sector, line, or byte count, or lines in
// another order.
TEST_F(AccessPatterns, GlobalMemoryAgreesWithTheDefinition) {
  for (int i = 0; i < 20000; ++i) {
    const u32 width = 1u << random_() % 5, mask = random_mask();
    Addresses addresses = offsets(width, kBytes);
    for (u64& a : addresses) a += base_;
    const AccessKind kind = random_() % 2 == 0 ? AccessKind::kLoad : AccessKind::kStore;
    // The same pattern twice at another place: the second time it comes from the memo.
    for (int again = 0; again < 2; ++again) {
      if (again == 1) {
        const u64 shift = random_() % 64 * width;
        if (*std::max_element(addresses.begin(), addresses.end()) + shift + width > base_ + kBytes) break;
        for (u64& a : addresses) a += shift;
      }
      const Access access =
          request(kind, ptx::Space::kGlobal, addresses, mask, width, false, static_cast<u32>(i % 3));
      expect_pointers(access, addresses, mask, width);
      std::set<u64> sectors, lines;
      for (u32 l = 0; l < kWarpSize; ++l)
        if ((mask >> l & 1u) != 0) sectors.insert(addresses[l] / 32), lines.insert(addresses[l] / 128);
      const bool load = kind == AccessKind::kLoad;
      ASSERT_EQ(load ? totals_.global_load_sectors : totals_.global_store_sectors, sectors.size());
      ASSERT_EQ(totals_.global_lines, lines.size());
      ASSERT_EQ(load ? totals_.global_load_bytes : totals_.global_store_bytes,
                u64{width} * static_cast<u32>(std::popcount(mask)));
      // Caches see the lines in the order in which lanes come to them.
      std::vector<u64> expected, left;
      for (u32 l = 0; l < kWarpSize; ++l)
        if ((mask >> l & 1u) != 0 && lines.erase(addresses[l] / 128) != 0)
          std::copy_if(sectors.begin(), sectors.end(), std::back_inserter(expected),
                       [&](u64 sector) { return sector / 4 == addresses[l] / 128; });
      for (const SectorRun& run : block_.runs)
        for (u64 s = 0; s < run.count; ++s) left.push_back(run.first_sector + s);
      ASSERT_EQ(left, expected) << "without L1 every sector leaves the SM, once";
    }
  }
}

/// Passes for lanes that are served together: the most different words in one bank.
u32 passes(const Addresses& a, u32 lanes, u32 width) {
  std::map<u64, std::set<u64>> words;
  for (u32 l = 0; l < kWarpSize; ++l)
    if ((lanes >> l & 1u) != 0)
      for (u64 w = a[l] / 4; w <= (a[l] + width - 1) / 4; ++w) words[w % 32].insert(w);
  std::size_t most = 0;
  for (const auto& [bank, different] : words) most = std::max(most, different.size());
  return static_cast<u32>(most);
}

// Breaks when a shortcut for shared memory gives a wrong pointer or number of passes.
TEST_F(AccessPatterns, SharedMemoryAgreesWithTheDefinition) {
  const u64 shared = reinterpret_cast<u64>(shared_.data());
  for (int i = 0; i < 20000; ++i) {
    const u32 width = 1u << random_() % 3, mask = random_mask();
    const Addresses addresses = offsets(width, shared_.size());
    Addresses expected = addresses;
    for (u64& a : expected) a += shared;
    const bool narrow = random_() % 2 == 0;
    const Access access = request(AccessKind::kLoad, ptx::Space::kShared, addresses, mask, width, narrow,
                                  static_cast<u32>(i % 3));
    expect_pointers(access, expected, mask, width);
    ASSERT_EQ(totals_.shared_wavefronts, passes(addresses, mask, width));
    ASSERT_EQ(totals_.ideal_shared_wavefronts, 1u);
  }
}

// Breaks when wide accesses cost less than their bytes need or more than half and quarter warps one by one.
TEST_F(AccessPatterns, WideSharedAccessesStayWithinTheirBounds) {
  for (int i = 0; i < 5000; ++i) {
    const u32 width = 8u << random_() % 2, mask = random_mask();
    const Addresses addresses = offsets(width, shared_.size());
    request(AccessKind::kLoad, ptx::Space::kShared, addresses, mask, width, true, 5);
    u32 one_by_one = 0;
    const u32 part = 128 / width;
    for (u32 at = 0; at < kWarpSize; at += part)
      one_by_one += passes(addresses, mask & ((1u << part) - 1) << at, width);
    ASSERT_LE(totals_.shared_wavefronts, one_by_one);
    ASSERT_GE(totals_.shared_wavefronts, passes(addresses, mask, width));
    ASSERT_GE(totals_.shared_wavefronts, totals_.ideal_shared_wavefronts);
  }
}

// Breaks when a memo survives a change of the allocation table: freed memory would still be readable.
TEST_F(AccessPatterns, MemosDoNotOutliveAllocations) {
  Addresses addresses;
  const u64 a = memory_.allocate(4096, "a");
  for (u64 l = 0; l < kWarpSize; ++l) addresses[l] = a + 4 * l;
  request(AccessKind::kLoad, ptx::Space::kGlobal, addresses, ~0u, 4, false, 7);
  ASSERT_TRUE(memory_.release(a));
  EXPECT_EQ(readable_bytes(warp_, 0, a, 4), 0u);
  const u64 b = memory_.allocate(64, "b");
  ASSERT_EQ(a, b);
  EXPECT_EQ(readable_bytes(warp_, 0, b, 4096), 64u);
  for (u64 l = 0; l < kWarpSize; ++l) addresses[l] = b + 4 * (l % 16);
  const Access access = request(AccessKind::kLoad, ptx::Space::kGlobal, addresses, ~0u, 4, false, 7);
  EXPECT_EQ(reinterpret_cast<u64>(access.lane(3)), b + 12);
}

}  // namespace
}  // namespace roofline::sim
