// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "simulator/host/session.h"
#include "simulator/tests/program.h"

namespace roofline::sim {
namespace {

using namespace test;

// Breaks when the model no longer tells a product straight from global memory, one from padded block tiles,
// and one whose copies overlap apart, or finds the later ones slower.
TEST(WmmaRungs, AreInThePublishedOrder) {
  constexpr int kSize = 1024;
  const Folder folder;
  const fs::path program = compile(folder, "wmma_rungs", {"-cudart", "shared", "-arch=sm_80"});
  Session session = Session::start(SIMULATOR_BUILD, {.device = "a100-sxm4-40gb"});
  session.begin_region();
  const auto environment = simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())});
  const Result result = run({program, std::to_string(kSize)}, environment, session.guest_fd());
  EXPECT_EQ(result.status, 0) << result.err;
  const Region region = session.end_region();
  ASSERT_EQ(region.kernels.size(), 3u);
  EXPECT_GT(region.kernels[0].seconds, 1.3 * region.kernels[1].seconds);
  EXPECT_GT(region.kernels[1].seconds, 1.15 * region.kernels[2].seconds);
  for (const KernelRecord& kernel : region.kernels)
    EXPECT_EQ(kernel.counters.flops[static_cast<std::size_t>(FlopType::kTensorF16F32)],
              2ull * kSize * kSize * kSize)
        << kernel.name;
}

}  // namespace
}  // namespace roofline::sim
