// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "simulator/host/session.h"
#include "simulator/tests/program.h"

namespace roofline::sim::wmma_rungs {
namespace {

using namespace test;

// Breaks when the model no longer tells the rungs apart or finds a later one slower, or drifts from what was
// measured for the third on an A800 (an A100 with 80 GB) at 1410 MHz: 22.76 TF at 1024
// (docs/tensor-cores.md). So small a product has few blocks an SM, and the second rung, which copies element
// by element, is no quicker than the first: an H200 does 20.8 and 25.2 TF of it (docs/results/probes.md).
TEST(WmmaRungs, AreInThePublishedOrder) {
  constexpr int kSize = 1024;
  constexpr double kMeasured = 22.76e12;
  const Folder folder;
  const fs::path program = compile(folder, "wmma_rungs", {"-cudart", "shared", "-arch=sm_80"});
  Session session = Session::start(SIMULATOR_BUILD, {.device = "a100-sxm4-80gb"});
  session.begin_region();
  const auto environment = simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())});
  const Result result = run({program, std::to_string(kSize)}, environment, session.guest_fd());
  EXPECT_EQ(result.status, 0) << result.err;
  const Region region = session.end_region();
  ASSERT_EQ(region.kernels.size(), 5u);
  for (std::size_t i = 2; i < region.kernels.size(); ++i)
    EXPECT_GT(region.kernels[i - 1].seconds, 1.15 * region.kernels[i].seconds) << "rung " << i + 1;
  EXPECT_NEAR(region.kernels[1].seconds / region.kernels[0].seconds, 25.2 / 20.8, 0.2);
  const double flops = 2.0 * kSize * kSize * kSize;
  EXPECT_NEAR(flops / region.kernels[2].seconds / kMeasured, 1, 0.2);
  for (const KernelRecord& kernel : region.kernels)
    EXPECT_EQ(kernel.counters.flops[static_cast<std::size_t>(FlopType::kTensorF16F32)],
              static_cast<u64>(flops))
        << kernel.name;
}

}  // namespace
}  // namespace roofline::sim::wmma_rungs
