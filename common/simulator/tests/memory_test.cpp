// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "simulator/device/device.h"
#include "simulator/machine/imported_memory.h"
#include "simulator/text.h"

namespace roofline::sim {
namespace {

constexpr u64 kGiB = u64{1} << 30;

u8* at(u64 address) { return reinterpret_cast<u8*>(address); }

/// Shared memory pages that this process has touched, in KiB.
u64 resident_shared_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssShmem:")) return std::stoull(line.substr(9));
  return 0;
}

// Breaks when addresses are not in the device window, not aligned, or not usable as host pointers.
TEST(Memory, AllocatesAlignedUsableMemoryInTheDeviceWindow) {
  Memory memory(40 * kGiB);
  const u64 a = memory.allocate(100, "");
  const u64 b = memory.allocate(4096, "");
  EXPECT_GE(a, kDeviceWindow);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(b % 256, 0u);
  std::memset(at(b), 7, 4096);
  EXPECT_EQ(at(b)[4095], 7);
  EXPECT_EQ(at(a)[0], 0) << "new memory reads as zero";
}

// Breaks when the table hands out overlapping ranges or leaves no gap for overruns.
TEST(Memory, KeepsAllocationsApart) {
  Memory memory(kGiB);
  const u64 a = memory.allocate(1 << 20, "");
  const u64 b = memory.allocate(1 << 20, "");
  EXPECT_GE(b, a + (1 << 20) + 4096);
  EXPECT_EQ(memory.find(a + (1 << 20)), nullptr);
  ASSERT_NE(memory.find(a + (1 << 20) - 1), nullptr);
  EXPECT_EQ(memory.find(a + (1 << 20) - 1)->begin, a);
  EXPECT_EQ(memory.find(a - 1), nullptr);
}

// Breaks when an allocation's end is rounded up: an overrun by one element would go unseen.
TEST(Memory, EndsAllocationsAtTheByte) {
  Memory memory(kGiB);
  const u64 a = memory.allocate(100, "");
  EXPECT_NE(memory.find(a + 99), nullptr);
  EXPECT_EQ(memory.find(a + 100), nullptr);
}

// Breaks when addresses depend on anything but the calls, or freed ranges are not used again.
TEST(Memory, IsDeterministicAndReusesHoles) {
  u64 first[3];
  for (int run = 0; run < 2; ++run) {
    Memory memory(kGiB);
    const u64 a = memory.allocate(1000, "");
    const u64 b = memory.allocate(5000, "");
    EXPECT_TRUE(memory.release(a));
    const u64 c = memory.allocate(900, "");
    EXPECT_EQ(c, a);
    if (run == 0) {
      first[0] = a, first[1] = b, first[2] = c;
    } else {
      EXPECT_EQ(first[0], a);
      EXPECT_EQ(first[1], b);
      EXPECT_EQ(first[2], c);
    }
  }
}

// Breaks when capacity is not enforced, or fragmentation makes an allocation fail that fits.
TEST(Memory, FailsOnlyWhenFull) {
  Memory memory(1 << 20);
  EXPECT_EQ(memory.allocate((1 << 20) + 1, ""), 0u);
  const u64 a = memory.allocate(1 << 19, "");
  const u64 b = memory.allocate(1 << 18, "");
  EXPECT_NE(a, 0u);
  EXPECT_EQ(memory.free_bytes(), u64{1} << 18);
  EXPECT_EQ(memory.allocate((1 << 18) + 1, ""), 0u);
  EXPECT_TRUE(memory.release(a));
  const u64 c = memory.allocate((1 << 20) - (1 << 18), "");
  EXPECT_NE(c, 0u);
  EXPECT_EQ(memory.free_bytes(), 0u);
  EXPECT_EQ(memory.take_peak(), u64{1} << 20);
  EXPECT_TRUE(memory.release(b));
  EXPECT_TRUE(memory.release(c));
  EXPECT_EQ(memory.free_bytes(), u64{1} << 20);
}

// Breaks when release takes an inner address, a freed one, or host memory.
TEST(Memory, ReleasesOnlyStartsOfLiveDeviceAllocations) {
  Memory memory(kGiB);
  const u64 a = memory.allocate(4096, "");
  EXPECT_FALSE(memory.release(a + 256));
  EXPECT_TRUE(memory.release(a));
  EXPECT_FALSE(memory.release(a));
  EXPECT_TRUE(memory.add_host(kHostWindow, 4096, ""));
  EXPECT_FALSE(memory.release(kHostWindow));
  EXPECT_TRUE(memory.remove_host(kHostWindow));
  EXPECT_FALSE(memory.remove_host(kHostWindow));
}

// Breaks when freed pages stay in memory: a long run of large allocations would fill the machine.
TEST(Memory, GivesPagesBack) {
  Memory memory(8 * kGiB);
  const u64 before = resident_shared_kib();
  for (int i = 0; i < 8; ++i) {
    const u64 a = memory.allocate(32 << 20, "");
    std::memset(at(a), 1, 32 << 20);
    EXPECT_TRUE(memory.release(a));
  }
  EXPECT_LT(resident_shared_kib(), before + (40 << 10));
  const u64 a = memory.allocate(32 << 20, "");
  EXPECT_EQ(at(a)[12345], 0) << "reused memory must not show old contents";
}

// Breaks when a page shared with a live neighbour is dropped, or its freed part keeps old bytes.
TEST(Memory, ClearsPartialPagesOnly) {
  Memory memory(kGiB);
  const u64 a = memory.allocate(256, "");
  const u64 b = memory.allocate(256, "");
  std::memset(at(a), 1, 256);
  std::memset(at(b), 2, 256);
  EXPECT_TRUE(memory.release(a));
  EXPECT_EQ(at(b)[0], 2);
  const u64 c = memory.allocate(256, "");
  EXPECT_EQ(c, a);
  EXPECT_EQ(at(c)[0], 0);
}

// Breaks when host-window ranges may overlap or lie outside the window.
TEST(Memory, ChecksHostRanges) {
  Memory memory(kGiB);
  EXPECT_TRUE(memory.add_host(kHostWindow + 4096, 4096, "cudaMallocHost"));
  EXPECT_FALSE(memory.add_host(kHostWindow + 8191, 16, ""));
  EXPECT_FALSE(memory.add_host(kHostWindow, 4097, ""));
  EXPECT_TRUE(memory.add_host(kHostWindow, 4096, ""));
  EXPECT_FALSE(memory.add_host(0x7f00'0000'0000, 4096, ""));
  EXPECT_TRUE(memory.find(kHostWindow + 4096)->host_visible);
}

// Breaks when a cache could mistake one state of the table, or another table, for the one it knows.
TEST(Memory, EpochTellsStatesApart) {
  Memory memory(kGiB), other(kGiB);
  EXPECT_NE(memory.epoch(), other.epoch());
  const u64 e = memory.epoch();
  const u64 a = memory.allocate(1, "");
  EXPECT_NE(memory.epoch(), e);
  const u64 f = memory.epoch();
  EXPECT_TRUE(memory.release(a));
  EXPECT_NE(memory.epoch(), f);
}

// Breaks when heap blocks are no memory in use, exceed their budget, or cudaFree takes them.
TEST(Memory, HeapHasItsOwnBudget) {
  Memory memory(kGiB);
  memory.set_heap_limit(1000);
  const u64 a = memory.allocate_on_heap(600, "malloc");
  EXPECT_NE(a, 0u);
  EXPECT_EQ(memory.allocate_on_heap(401, "malloc"), 0u);
  EXPECT_EQ(memory.free_bytes(), kGiB - 600);
  EXPECT_EQ(memory.take_peak(), 600u);
  EXPECT_FALSE(memory.release(a));
  EXPECT_TRUE(memory.release_on_heap(a));
  EXPECT_EQ(memory.free_bytes(), kGiB);
  EXPECT_FALSE(memory.release_on_heap(a));
  EXPECT_NE(memory.allocate_on_heap(1000, "malloc"), 0u);
}

// Breaks when a message names the wrong allocation, distance or direction.
TEST(Memory, ExplainsAddresses) {
  Memory memory(kGiB);
  const u64 a = memory.allocate(4096, "cudaMalloc at saxpy.cu:12");
  const std::string allocation = "the 4096-byte allocation at " + hex(a) + " (cudaMalloc at saxpy.cu:12)";
  EXPECT_EQ(memory.explain(a + 4100, 4), "4 bytes past the end of " + allocation);
  EXPECT_EQ(memory.explain(a + 4097, 1), "1 byte past the end of " + allocation);
  EXPECT_EQ(memory.explain(a + 4096, 4), "just past the end of " + allocation);
  EXPECT_EQ(memory.explain(a + 4092, 8), "the last 4 bytes past the end of " + allocation);
  EXPECT_EQ(memory.explain(a - 16, 4), "16 bytes before the start of " + allocation);
  EXPECT_EQ(memory.explain(kDeviceWindow - 16, 4),
            std::to_string(a - kDeviceWindow + 16) + " bytes before the start of " + allocation)
      << "a negative index";
  EXPECT_EQ(memory.explain(0, 4), "a null pointer");
  EXPECT_EQ(memory.explain(40, 4), "40 bytes past a null pointer (an index or member of a null pointer)");
  EXPECT_TRUE(memory.explain(0x7fff'1234'5678, 4).starts_with("a host address"));
  EXPECT_TRUE(memory.explain(0x5555'1234'5678, 4).starts_with("a host address"));
  EXPECT_TRUE(memory.explain(0xdead'beef'0000'0000, 4).starts_with("not an address at all"));
  EXPECT_TRUE(memory.explain(kSharedWindow + 64, 4).starts_with("a shared-memory address"));
  EXPECT_TRUE(memory.release(a));
  EXPECT_EQ(memory.explain(a + 8, 4), "8 bytes into a 4096-byte allocation at " + hex(a) +
                                          " (cudaMalloc at saxpy.cu:12) that was freed");
}

// Breaks when a new allocation in a freed range is still reported as freed.
TEST(Memory, ForgetsFreedRangesThatLiveAgain) {
  Memory memory(kGiB);
  const u64 a = memory.allocate(4096, "old");
  EXPECT_TRUE(memory.release(a));
  EXPECT_EQ(memory.allocate(512, "new"), a);
  EXPECT_EQ(memory.explain(a + 516, 4),
            "4 bytes past the end of the 512-byte allocation at " + hex(a) + " (new)");
}

// Breaks when two devices in one process collide.
TEST(Memory, TwoDevicesHaveDifferentAddresses) {
  Memory first(40 * kGiB), second(40 * kGiB);
  EXPECT_NE(first.allocate(256, ""), second.allocate(256, ""));
}

// Breaks when a device finds another one's memory without leave, keeps finding it afterwards, or misses that
// it was freed.
TEST(Memory, PeersFindEachOthersAllocationsWhileAllowed) {
  Memory first(kGiB);
  {
    Memory second(kGiB);
    const u64 a = second.allocate(4096, "peer's");
    EXPECT_EQ(first.find(a), nullptr);
    EXPECT_NE(first.explain(a, 4).find("cudaDeviceEnablePeerAccess"), std::string::npos)
        << first.explain(a, 4);
    const u64 before = first.epoch();
    first.allow_peer(second, true);
    EXPECT_NE(first.epoch(), before);
    ASSERT_NE(first.find(a + 4092), nullptr);
    EXPECT_EQ(first.find(a)->origin, "peer's");
    EXPECT_EQ(second.find(first.allocate(256, "")), nullptr) << "the other way round nobody asked";
    const u64 allowed = first.epoch();
    EXPECT_TRUE(second.release(a));
    EXPECT_NE(first.epoch(), allowed);
    EXPECT_EQ(first.find(a), nullptr);
    const u64 b = second.allocate(256, "");
    EXPECT_NE(first.find(b), nullptr);
    first.allow_peer(second, false);
    EXPECT_EQ(first.find(b), nullptr);
    first.allow_peer(second, true);
  }
  EXPECT_EQ(first.find(kDeviceWindow + kDeviceStride + 4096), nullptr) << "the peer is gone";
}

// Breaks when a failure to reserve the window is silent or unclear.
// Broken by: pages that begin elsewhere than the allocation, other bytes than the owner's, memory that counts
// as this device's, a neighbour of the allocation that is reached.
TEST(Memory, ImportedMemoryIsTheOwnersBytes) {
  Memory owner(kGiB), here(kGiB);
  ImportedMemory imported(here);
  (void)owner.allocate(300, "before");
  const u64 there = owner.allocate(10'000, "there");
  ASSERT_NE(owner.offset_of(there) % 4096, 0u);
  const u64 address = imported.open(owner.file(), owner.offset_of(there), 10'000, "memory of process 7");
  ASSERT_NE(address, 0u);
  at(there)[9'999] = 5;
  EXPECT_EQ(at(address)[9'999], 5);
  at(address)[0] = 6;
  EXPECT_EQ(at(there)[0], 6);
  EXPECT_EQ(here.used_bytes(), 0u);
  ASSERT_NE(here.find(address + 9'999), nullptr);
  EXPECT_EQ(here.find(address + 10'000), nullptr);
  EXPECT_EQ(here.find(address - 1), nullptr);
  EXPECT_FALSE(here.release(address));
  const u64 second = imported.open(owner.file(), owner.offset_of(there), 10'000, "again");
  EXPECT_GT(second - address, 10'000 + u64{4096});

  EXPECT_TRUE(imported.close(address));
  EXPECT_FALSE(imported.close(address));
  EXPECT_EQ(here.find(address), nullptr);
  EXPECT_NE(here.explain(address, 4).find("(memory of process 7) that was freed"), std::string::npos)
      << here.explain(address, 4);
  imported.lose(second, "gone with its process");
  EXPECT_EQ(here.find(second), nullptr);
  EXPECT_NE(here.explain(second, 4).find("gone with its process"), std::string::npos);
  EXPECT_TRUE(imported.close(second));
  EXPECT_EQ(imported.open(owner.file(), owner.offset_of(there), 10'000, "once more"), address);
}

TEST(Memory, SaysWhyItCannotReserve) {
  try {
    Memory memory(u64{1} << 46);
    FAIL() << "no machine maps 128 TiB twice over";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot reserve"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("ulimit -v"), std::string::npos);
  }
}

}  // namespace
}  // namespace roofline::sim
