// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/managed_memory.h"

#include <gtest/gtest.h>

#include "simulator/timing/cache.h"

/// Where groups of managed pages are after kernels and prefetches.
namespace roofline::sim::managed_memory {
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

// The driver's work and the copies overlap: the slower of the two counts.
TEST_F(ManagedPages, FaultsCostTheDriverOrTheLink) {
  DeviceDescription device;
  device.fault_group_us = 10;
  device.pinned_gbps = 20;
  EXPECT_NEAR(fault_seconds(device, {3, 3 * kGroup, kGroup}), 30e-6, 1e-12);
  device.pinned_gbps = 2;
  EXPECT_NEAR(fault_seconds(device, {3, 3 * kGroup, kGroup}), 4 * 65536 / 2e9, 1e-12);
}

struct PublishedFaults {
  const char* card;
  double mebibytes, seconds;  ///< touched, and the time of all faults
  int error;                  ///< of the model, in per cent; docs/simulator-model.md shows it
};

// Breaks when the constant changes and the table in docs/simulator-model.md does not.
TEST(PublishedFaultTimes, ErrorsAreThoseOfThePage) {
  const DeviceDescription device = load_device(SIMULATOR_SOURCE "/devices", "a100-sxm4-40gb");
  const PublishedFaults published[] = {
      {"GTX 1060", 128, 0.03083862, 0},
      {"GTX 1080, saxpy", 11.44922, 0.002807344, -2},
      {"V100 PCIe", 4.048588 * 1024, 1.172802, -15},
      {"Quadro P4000", 4.470348 * 1024, 1.632346, -32},
      {"V100 SXM2, NVLink to the host", 4.461243 * 1024, 0.8770859, 26},
      {"GTX 1080, c = a + b", 3 * 1024, 0.3826, 93},
  };
  for (const PublishedFaults& row : published) {
    const double groups = row.mebibytes * 16;
    const ManagedMemory::Moves moves{static_cast<u64>(groups), static_cast<u64>(groups) * kGroup, 0};
    const double error = 100 * (fault_seconds(device, moves) / row.seconds - 1);
    EXPECT_NEAR(error, row.error, 1) << row.card;
  }
}

}  // namespace
}  // namespace roofline::sim::managed_memory
