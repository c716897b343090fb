// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "simulator/program/address_windows.h"

namespace roofline::sim {
namespace {

constexpr u64 kBase = 0x0000'2000'0000'0000 / kSectorBytes;  // first sector of device memory

SectorRun run(SectorRun::Kind kind, u64 sector, u32 count) {
  SectorRun result{};
  result.first_sector = sector & ((u64{1} << 58) - 1);
  result.kind = static_cast<u64>(kind) & 63;
  result.count = count;
  return result;
}

L2Cache::Traffic feed(L2Cache& cache, const std::vector<SectorRun>& runs) {
  L2Cache::Traffic traffic;
  cache.access(runs.data(), runs.size(), traffic);
  return traffic;
}

// Breaks when a miss allocates the whole line instead of the sectors asked for.
TEST(L1, AllocatesSectorsNotLines) {
  L1Cache cache(16 << 10);
  EXPECT_EQ(cache.load(100, 0b0011), 0b0011u);
  EXPECT_EQ(cache.load(100, 0b0110), 0b0100u);
  EXPECT_EQ(cache.load(100, 0b1111), 0b1000u);
  EXPECT_EQ(cache.load(100, 0b1111), 0u);
}

// Breaks when a block sees what the block before it on the same host thread has loaded.
TEST(L1, ResetEmptiesIt) {
  L1Cache cache(16 << 10);
  cache.load(100, 0b1111);
  cache.reset();
  EXPECT_EQ(cache.load(100, 0b1111), 0b1111u);
  cache.invalidate(100);
  EXPECT_EQ(cache.load(100, 0b0001), 0b0001u);
}

TEST(L1, WithoutBytesEverythingMisses) {
  L1Cache cache(0);
  EXPECT_EQ(cache.load(1, 0b1111), 0b1111u);
  EXPECT_EQ(cache.load(1, 0b1111), 0b1111u);
  cache.invalidate(1);
}

// Breaks when strides of a power of two fall into few sets: three quarters of the capacity must stay.
TEST(L1, PowerOfTwoStridesDoNotAlias) {
  constexpr u64 kBytes = 24 << 10;
  for (int shift = 0; shift < 20; ++shift) {
    L1Cache cache(kBytes);
    constexpr u64 kLines = kBytes / kLineBytes * 3 / 4;
    for (u64 i = 0; i < kLines; ++i) cache.load(kBase / 4 + (i << shift), 1);
    u64 hits = 0;
    for (u64 i = 0; i < kLines; ++i) hits += cache.load(kBase / 4 + (i << shift), 1) == 0;
    EXPECT_GE(hits, kLines * 95 / 100) << "stride of 2^" << shift << " lines";
  }
}

// A cyclic walk over twice the capacity finds nothing: least recently used goes first.
TEST(L1, CyclicWalkBeyondCapacityMisses) {
  constexpr u64 kBytes = 16 << 10;
  L1Cache cache(kBytes);
  u64 hits = 0;
  for (int pass = 0; pass < 3; ++pass)
    for (u64 line = 0; line < 2 * kBytes / kLineBytes; ++line) hits += cache.load(line, 15) == 0;
  EXPECT_EQ(hits, 0u);
}

TEST(L2, CountsSectorsOfUnalignedRuns) {
  L2Cache cache(4 << 20, 16);
  const auto first = feed(cache, {run(SectorRun::kRead, kBase + 3, 6)});  // lines 0, 1 and 2
  EXPECT_EQ(first.read_sectors, 6u);
  EXPECT_EQ(first.read_hits, 0u);
  EXPECT_EQ(first.dram_read_bytes, 6 * kSectorBytes);
  EXPECT_TRUE(cache.contains(kBase + 3));
  EXPECT_TRUE(cache.contains(kBase + 8));
  EXPECT_FALSE(cache.contains(kBase + 2));
  EXPECT_FALSE(cache.contains(kBase + 9));
  const auto second = feed(cache, {run(SectorRun::kRead, kBase, 12)});
  EXPECT_EQ(second.read_hits, 6u);
  cache.invalidate_all();
  EXPECT_FALSE(cache.contains(kBase + 3));
}

// Breaks when a store reads DRAM, when a rewrite is charged again, or when dirty data cannot be read back.
TEST(L2, StoresAreChargedWhenTheSectorBecomesDirty) {
  L2Cache cache(4 << 20, 16);
  const auto store = feed(cache, {run(SectorRun::kWrite, kBase, 4)});
  EXPECT_EQ(store.write_sectors, 4u);
  EXPECT_EQ(store.dram_write_bytes, 4 * kSectorBytes);
  EXPECT_EQ(store.dram_read_bytes, 0u);
  const auto again = feed(cache, {run(SectorRun::kWrite, kBase, 4), run(SectorRun::kRead, kBase, 4)});
  EXPECT_EQ(again.dram_write_bytes, 0u);
  EXPECT_EQ(again.read_hits, 4u);
  EXPECT_EQ(again.dram_read_bytes, 0u);
}

// An atomic needs the old value, so it reads DRAM once; afterwards it works in L2.
TEST(L2, AtomicsReadAndDirty) {
  L2Cache cache(4 << 20, 16);
  const auto traffic = feed(cache, {run(SectorRun::kAtomic, kBase, 1), run(SectorRun::kAtomic, kBase, 1)});
  EXPECT_EQ(traffic.read_sectors, 2u);
  EXPECT_EQ(traffic.read_hits, 1u);
  EXPECT_EQ(traffic.dram_read_bytes, kSectorBytes);
  EXPECT_EQ(traffic.dram_write_bytes, kSectorBytes);
}

// Breaks when a kernel reads or writes the host's memory at the rate of L2 or DRAM.
TEST(L2, PinnedMemoryCrossesTheLinkEachTime) {
  L2Cache cache(4 << 20, 16);
  constexpr u64 kPinned = kHostWindow / kSectorBytes;
  const auto traffic = feed(cache, {run(SectorRun::kRead, kPinned, 4), run(SectorRun::kRead, kPinned, 4),
                                    run(SectorRun::kWrite, kPinned, 2), run(SectorRun::kAtomic, kPinned, 1)});
  EXPECT_EQ(traffic.host_read_bytes, 9 * kSectorBytes);
  EXPECT_EQ(traffic.host_write_bytes, 3 * kSectorBytes);
  EXPECT_EQ(traffic.read_sectors + traffic.write_sectors, 0u);
  EXPECT_EQ(traffic.dram_read_bytes + traffic.dram_write_bytes, 0u);
  EXPECT_FALSE(cache.contains(kPinned));
}

// Breaks when another GPU's memory is a hit or a miss of one's own, or its bytes are not told apart by GPU.
TEST(L2, MemoryOfPeersCrossesTheLinkEachTime) {
  L2Cache cache(4 << 20, 16);
  cache.set_window(kDeviceWindow + kDeviceStride, kDeviceStride, MemoryHomes::of_windows());
  constexpr u64 kFirst = kDeviceWindow / kSectorBytes, kApart = kDeviceStride / kSectorBytes;
  const auto traffic =
      feed(cache, {run(SectorRun::kRead, kFirst + kApart, 4), run(SectorRun::kRead, kFirst, 4),
                   run(SectorRun::kRead, kFirst, 4), run(SectorRun::kAtomic, kFirst + 2 * kApart, 1),
                   run(SectorRun::kWrite, kFirst + 2 * kApart, 2)});
  ASSERT_EQ(traffic.peers.size(), kMaxDevices);
  EXPECT_EQ(traffic.peers[0].read, 8 * kSectorBytes);
  EXPECT_EQ(traffic.peers[0].written, 0u);
  EXPECT_EQ(traffic.peers[1].read, 0u) << "its own";
  EXPECT_EQ(traffic.peers[2].read, kSectorBytes);
  EXPECT_EQ(traffic.peers[2].written, 3 * kSectorBytes);
  EXPECT_EQ(traffic.read_sectors, 4u);
  EXPECT_EQ(traffic.dram_read_bytes, 4 * kSectorBytes);
  EXPECT_FALSE(cache.contains(kFirst));
}

// Breaks when mapped memory is taken for that of the GPU in whose window it is mapped, a run over the end of
// a piece is counted as one of its sides, or the device's own memory in another window crosses the link.
TEST(L2, MappedMemoryIsThatOfTheGpuThatHasIt) {
  constexpr u64 kOwn = kDeviceWindow + kDeviceStride, kOwnBytes = u64{1} << 30, kPiece = u64{2} << 20;
  constexpr u64 kReserved = kOwn + kOwnBytes;
  MemoryHomes homes;
  homes.reserve(kReserved, 3 * kPiece);
  homes.map(kReserved + kPiece, kPiece, 0);
  homes.map(kReserved + 2 * kPiece, kPiece, 1);
  homes.map(kDeviceWindow + 2 * kPiece, kPiece, 1);
  L2Cache cache(4 << 20, 16);
  cache.set_window(kOwn, kOwnBytes, homes);
  const auto sector = [](u64 address) { return address / kSectorBytes; };
  const auto traffic = feed(cache, {run(SectorRun::kRead, sector(kReserved + kPiece), 4),
                                    run(SectorRun::kWrite, sector(kReserved + 2 * kPiece) - 1, 4),
                                    run(SectorRun::kRead, sector(kDeviceWindow + 2 * kPiece), 2),
                                    run(SectorRun::kRead, sector(kDeviceWindow), 1)});
  ASSERT_EQ(traffic.peers.size(), kMaxDevices);
  EXPECT_EQ(traffic.peers[0].read, 5 * kSectorBytes);
  EXPECT_EQ(traffic.peers[0].written, kSectorBytes);
  EXPECT_EQ(traffic.write_sectors, 3u);
  EXPECT_EQ(traffic.read_sectors, 2u);
  EXPECT_TRUE(cache.contains(sector(kReserved + 2 * kPiece)));
}

// Breaks when what was evicted while dirty is forgotten: its second write goes to DRAM again.
TEST(L2, EvictedDirtySectorsAreChargedAgain) {
  constexpr u64 kBytes = 1 << 20;
  L2Cache cache(kBytes, 16);
  std::vector<SectorRun> twice_the_size;
  for (u64 line = 0; line < 2 * kBytes / kLineBytes; ++line)
    twice_the_size.push_back(run(SectorRun::kWrite, kBase + line * 4, 4));
  EXPECT_EQ(feed(cache, twice_the_size).dram_write_bytes, 2 * kBytes);
  EXPECT_EQ(feed(cache, twice_the_size).dram_write_bytes, 2 * kBytes);
}

// What is used again stays when a stream passes through: the hand spares ways that were hit.
TEST(L2, ReusedLinesSurviveAStream) {
  constexpr u64 kBytes = 1 << 20;
  L2Cache cache(kBytes, 16);
  std::vector<SectorRun> hot, stream;
  for (u64 line = 0; line < kBytes / kLineBytes / 8; ++line)
    hot.push_back(run(SectorRun::kRead, kBase + line * 4, 4));
  for (u64 line = 0; line < kBytes / kLineBytes / 2; ++line)
    stream.push_back(run(SectorRun::kRead, kBase + (u64{1} << 20) + line * 4, 4));
  feed(cache, hot);
  for (int pass = 0; pass < 4; ++pass) {
    const auto kept = feed(cache, hot);
    EXPECT_GE(kept.read_hits, kept.read_sectors * 95 / 100) << "pass " << pass;
    for (auto& part : stream) part = run(SectorRun::kRead, part.first_sector + (1 << 16), 4);
    feed(cache, stream);
  }
}

// A working set of three quarters of the cache stays in it, at every stride that fits into 32 GB. The 50 MB
// cache has 25600 sets, whose place and round do not spread independently at strides 2^3 and 2^4: 70 % there.
TEST(L2, PowerOfTwoStridesDoNotAlias) {
  for (const u64 megabytes : {4, 40, 50})
    for (int shift = 0; shift < 22; ++shift) {
      L2Cache cache(megabytes << 20, 16);
      const u64 lines = std::min<u64>((megabytes << 20) / kLineBytes * 3 / 4, (u64{32} << 30) >> (shift + 7));
      std::vector<SectorRun> runs;
      for (u64 i = 0; i < lines; ++i) runs.push_back(run(SectorRun::kRead, kBase + (i << shift) * 4, 1));
      feed(cache, runs);
      EXPECT_GE(feed(cache, runs).read_hits, lines * 70 / 100) << megabytes << " MB, stride 2^" << shift;
    }
}

TEST(L2, ContiguousArrayOfNearlyTheSizeStays) {
  for (const u64 megabytes : {4, 40, 50}) {
    L2Cache cache(megabytes << 20, 16);
    std::vector<SectorRun> runs;
    for (u64 line = 0; line < (megabytes << 20) / kLineBytes * 95 / 100; ++line)
      runs.push_back(run(SectorRun::kRead, kBase + line * 4, 4));
    feed(cache, runs);
    const auto second = feed(cache, runs);
    EXPECT_EQ(second.read_hits, second.read_sectors) << megabytes << " MB";
  }
}

// The host and the device window must not be taken for each other: they differ in high address bits only.
TEST(L2, WindowsAreToldApart) {
  L2Cache cache(2048, 16);  // one set: the tag alone tells
  feed(cache, {run(SectorRun::kRead, kBase, 1)});
  EXPECT_TRUE(cache.contains(kBase));
  EXPECT_FALSE(cache.contains(0x0000'3000'0000'0000 / kSectorBytes));
}

// The order of runs alone decides: two equal sequences give equal traffic and equal contents.
TEST(L2, IsDeterministic) {
  L2Cache a(4 << 20, 16), b(4 << 20, 16);
  std::vector<SectorRun> runs;
  u64 state = 1;
  for (int i = 0; i < 100000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    runs.push_back(
        run(static_cast<SectorRun::Kind>((state >> 40) % 3), kBase + (state >> 44), 1 + (state >> 33) % 8));
  }
  const auto first = feed(a, runs), second = feed(b, runs);
  EXPECT_EQ(first.dram_read_bytes, second.dram_read_bytes);
  EXPECT_EQ(first.dram_write_bytes, second.dram_write_bytes);
  EXPECT_GT(first.read_hits, 0u);
}

// 160 MB of saxpy traffic is five million sectors. The budget is 60 ms; the test allows a slow, shared or
// sanitised machine ten times that.
TEST(L2, StreamingIsCheap) {
  L2Cache cache(40 << 20, 16);
  std::vector<SectorRun> runs;
  constexpr u64 kRequests = u64{20} << 20 >> 5;
  for (u64 i = 0; i < kRequests; ++i) {
    runs.push_back(run(SectorRun::kRead, kBase + i * 4, 4));
    runs.push_back(run(SectorRun::kWrite, kBase + (kRequests + i) * 4, 4));
  }
  const auto start = std::chrono::steady_clock::now();
  const auto traffic = feed(cache, runs);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(traffic.dram_read_bytes, u64{80} << 20);
  EXPECT_EQ(traffic.dram_write_bytes, u64{80} << 20);
  EXPECT_LT(wall.count(), 0.6);
}

}  // namespace
}  // namespace roofline::sim
