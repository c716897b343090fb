// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/managed_memory.h"

#include <gtest/gtest.h>

#include "simulator/timing/cache.h"

/// Where groups of managed pages are after kernels and prefetches.
namespace roofline::sim {
namespace {

constexpr u64 kGroup = ManagedMemory::kGroupBytes, kBase = u64{0x3000'0000'0000};

class ManagedPages : public testing::Test {
 protected:
  ManagedPages() {
    memory_.add(kBase, 8 * kGroup);
    memory_.set_capacity(4 * kGroup);
  }
  /// A kernel that reads 128 bytes of each of these groups.
  ManagedMemory::Moves kernel(std::initializer_list<u64> groups) {
    for (const u64 group : groups) {
      SectorRun run{};
      run.first_sector = (kBase + group * kGroup) / kSectorBytes & ((u64{1} << 58) - 1);
      run.count = 4;
      memory_.touch(&run, 1);
    }
    return memory_.take_moves();
  }
  ManagedMemory memory_;
};

TEST_F(ManagedPages, ComeOnceAndStay) {
  ManagedMemory::Moves moves = kernel({0, 0, 1, 0});
  EXPECT_EQ(moves.faults, 2u);
  EXPECT_EQ(moves.in_bytes, 2 * kGroup);
  EXPECT_EQ(moves.out_bytes, 0u);
  moves = kernel({1, 0});
  EXPECT_EQ(moves.faults + moves.in_bytes + moves.out_bytes, 0u);
}

// Breaks when another group leaves than the one that was not used for the longest time.
TEST_F(ManagedPages, TheLeastRecentlyUsedLeaves) {
  kernel({0, 1, 2, 3});
  kernel({0});
  const ManagedMemory::Moves moves = kernel({4});  // in the place of 1
  EXPECT_EQ(moves.out_bytes, kGroup);
  EXPECT_EQ(kernel({0, 2, 3, 4}).faults, 0u);
  EXPECT_EQ(kernel({1}).faults, 1u);
}

// A pass over more than fits finds nothing of the last one, unless it begins at the other end.
TEST_F(ManagedPages, ForwardPassesHelpNobody) {
  kernel({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(kernel({0, 1, 2, 3, 4, 5}).faults, 6u);
  EXPECT_EQ(kernel({5, 4, 3, 2, 1, 0}).faults, 2u);
}

TEST_F(ManagedPages, ARunMayTouchTwoGroups) {
  SectorRun run{};
  run.first_sector = (kBase + kGroup - 64) / kSectorBytes & ((u64{1} << 58) - 1);
  run.count = 4;
  memory_.touch(&run, 1);
  EXPECT_EQ(memory_.take_moves().faults, 2u);
}

TEST_F(ManagedPages, PrefetchedPagesCauseNoFault) {
  EXPECT_EQ(memory_.prefetch(kBase, 2 * kGroup, true).in_bytes, 2 * kGroup);
  EXPECT_EQ(kernel({0, 1}).faults, 0u);
  EXPECT_EQ(memory_.prefetch(kBase, kGroup, false).out_bytes, kGroup);
  EXPECT_EQ(memory_.prefetch(kBase, kGroup, false).out_bytes, 0u);
  EXPECT_EQ(kernel({0}).faults, 1u);
}

// Pinned memory lies in the same window and never moves; freed memory is forgotten.
TEST_F(ManagedPages, OnlyManagedMemoryMoves) {
  EXPECT_EQ(kernel({9, 100}).faults, 0u);
  kernel({0, 1, 2, 3});
  memory_.remove(kBase);
  EXPECT_EQ(kernel({0}).faults, 0u);
  memory_.add(kBase, kGroup);
  const ManagedMemory::Moves moves = kernel({0});
  EXPECT_EQ(moves.faults, 1u);
  EXPECT_EQ(moves.out_bytes, 0u) << "the freed pages still take room";
}

TEST_F(ManagedPages, FaultsCostTheDriverAndTheLink) {
  DeviceDescription device;
  device.fault_group_us = 10;
  device.pinned_gbps = 20;
  EXPECT_NEAR(fault_seconds(device, {3, 3 * kGroup, kGroup}), 30e-6 + 4 * 65536 / 20e9, 1e-12);
}

}  // namespace
}  // namespace roofline::sim
