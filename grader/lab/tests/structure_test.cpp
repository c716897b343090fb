// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Rules about how work is done: each complains on its side of the limit, and only there.
#include <gtest/gtest.h>

#include "grader/lab/spec.h"

namespace roofline::grader {
namespace {

sim::Region with_wavefronts(std::vector<std::pair<sim::u64, sim::u64>> kernels) {
  sim::Region region;
  for (const auto& [wavefronts, ideal] : kernels) {
    region.kernels.emplace_back();
    region.kernels.back().counters.shared_wavefronts = wavefronts;
    region.kernels.back().counters.ideal_shared_wavefronts = ideal;
  }
  return region;
}

std::string complaint(const StructureCheck& rule, const sim::Region& region) {
  const Settings settings;
  return rule.complaint({region, settings}).value_or("");
}

// Breaks when conflicts pass, when padding does not, or when one kernel's conflicts are overlooked.
TEST(BankConflicts, AreCountedOverAllKernels) {
  const StructureCheck rule = no_bank_conflicts(1.05);
  EXPECT_EQ(complaint(rule, with_wavefronts({})), "");
  EXPECT_EQ(complaint(rule, with_wavefronts({{0, 0}})), "") << "no shared memory, no conflict";
  EXPECT_EQ(complaint(rule, with_wavefronts({{105, 100}})), "");
  EXPECT_NE(complaint(rule, with_wavefronts({{106, 100}})).find("1.06 times the wavefronts"),
            std::string::npos);
  EXPECT_NE(complaint(rule, with_wavefronts({{100, 100}, {3200, 100}})).find("16.50 times"),
            std::string::npos);
}

/// A rule's complaint about a region in which one number is what it is about.
template <class Number>
std::string complaint_at(const StructureCheck& rule, Number sim::RegionCounts::*field, double value) {
  sim::Region region;
  region.*field = static_cast<Number>(value);
  return complaint(rule, region);
}

// Breaks when a byte that never crossed, or crossed twice, passes.
TEST(Link, EveryByteCrossesOnce) {
  const StructureCheck rule = over_the_link(1.05, [](const Settings&) { return 1e6; });
  EXPECT_EQ(complaint_at(rule, &sim::Region::host_to_device_bytes, 1e6), "");
  EXPECT_EQ(complaint_at(rule, &sim::Region::host_to_device_bytes, 1.05e6), "");
  EXPECT_NE(complaint_at(rule, &sim::Region::host_to_device_bytes, 0.99e6), "");
  EXPECT_NE(complaint_at(rule, &sim::Region::host_to_device_bytes, 4e6).find("4.00 times"),
            std::string::npos);
}

// Breaks when a third buffer passes, or what the runtime rounds up does not.
TEST(Buffers, AreNoMoreThanAllowed) {
  const auto two = [](const Settings&) { return 2e6; };
  for (const auto field : {&sim::Region::host_visible_bytes, &sim::Region::device_bytes_peak}) {
    const StructureCheck rule =
        field == &sim::Region::device_bytes_peak ? device_memory_at_most(two) : pinned_at_most(two);
    EXPECT_EQ(complaint_at(rule, field, 2e6 + 4096), "");
    EXPECT_NE(complaint_at(rule, field, 3e6).find("3000000 bytes"), std::string::npos);
  }
}

// Breaks when a GPU through which everything goes passes, be it that it sends or that it receives.
TEST(Share, IsThatOfEachGpu) {
  const StructureCheck rule = each_gpu_sends(1.05, [](const Settings&) { return 100; });
  sim::Region region;
  region.gpus = {{0, 100, 105}, {0, 105, 0}};
  EXPECT_EQ(complaint(rule, region), "");
  region.gpus[1] = {0, 0, 200};
  EXPECT_NE(complaint(rule, region).find("GPU 1 received 2.00 times"), std::string::npos);
  region.gpus[1] = {0, 150, 0};
  EXPECT_NE(complaint(rule, region).find("GPU 1 sent 1.50 times"), std::string::npos);
}

// Breaks when bytes that nobody counted, or work that was left out, pass.
TEST(Share, IsNeededByAllTogether) {
  const StructureCheck rule = each_gpu_sends(1.05, [](const Settings&) { return 100; });
  sim::Region region;
  region.gpus = {{0, 100, 100}, {0, 90, 90}};
  EXPECT_NE(complaint(rule, region).find("the GPUs sent 0.95 of the bytes"), std::string::npos);
}

// Breaks when the worker's own waits are the program's, or one of the program's passes.
TEST(HostWaits, AreOthersThanTheWorkers) {
  const StructureCheck rule = host_does_not_wait();
  sim::Region region;
  region.gpus.resize(4);
  region.host_waits = 5;
  EXPECT_EQ(complaint(rule, region), "");
  region.host_waits = 6;
  EXPECT_NE(complaint(rule, region).find("waited 1 time during"), std::string::npos);
  EXPECT_NE(complaint(rule, region).find("cudaFree() waits"), std::string::npos);
}

// Breaks when work that was left out passes, or is looked for in one kernel alone.
TEST(Work, IsCountedOverAllKernels) {
  const StructureCheck rule = flops_at_least([](const Settings&) { return 300; });
  sim::Region region;
  for (int k = 0; k < 2; ++k) {
    region.kernels.emplace_back();
    region.kernels.back().counters.flops[static_cast<std::size_t>(sim::FlopType::kF32)] = 150;
  }
  EXPECT_EQ(complaint(rule, region), "");
  auto& last = region.kernels.back().counters.flops;
  std::swap(last[static_cast<std::size_t>(sim::FlopType::kF32)],
            last[static_cast<std::size_t>(sim::FlopType::kTensorB1)]);
  EXPECT_NE(complaint(rule, region), "") << "operations on single bits cost next to nothing";
  region.kernels.pop_back();
  EXPECT_NE(complaint(rule, region).find("0.50 of the floating-point operations"), std::string::npos);
}

// Breaks when a graded matrix fits into a cache, or its number of rows is no multiple of a tile.
TEST(RowsBeyondL2, FillItAsOftenAsAskedFor) {
  const Value rows = rows_beyond_l2({.row_bytes = 8 * 4160, .multiple = 64});
  DeviceFacts device{.simulated = true};
  device.l2_bytes = 40 << 20;
  const double found = rows.at(device);
  EXPECT_GE(found * 8 * 4160, 4.0 * (40 << 20));
  EXPECT_LT((found - 64) * 8 * 4160, 4.0 * (40 << 20));
  EXPECT_EQ(static_cast<int>(found) % 64, 0);
  device.simulated = false;
  EXPECT_GE(rows.at(device) * 8 * 4160, 16.0 * (40 << 20));
  device.l2_bytes = 1 << 20;
  EXPECT_GE(rows.at(device) * 8 * 4160, 1 << 26) << "long enough beside a launch";
}

}  // namespace
}  // namespace roofline::grader
