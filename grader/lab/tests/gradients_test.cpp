// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/gradients.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Backward passes on several GPUs: what the judge takes for one that was run.
namespace roofline::grader {
namespace {

constexpr unsigned kGpus = 2;
constexpr int kLayers = 3;

class BackwardDone : public testing::Test {
 protected:
  void SetUp() override {
    for (unsigned gpu = 0; gpu < kGpus; ++gpu)
      for (int layer = 0; layer < kLayers; ++layer) {
        sim::KernelRecord kernel;
        kernel.name = "_ZN8roofline9gradients5layerIvEEvPKfPfmffi";
        kernel.device = gpu;
        kernel.start = layer;
        kernel.end = layer + 1;
        // The block of the chain was not among those that were sampled.
        kernel.counters.block_cycles_l2 = kernel.counters.block_cycles_dram = 50;
        kernel.counters.longest_cycles_l2 = kernel.counters.longest_cycles_dram = 400;
        region_.kernels.push_back(kernel);
      }
    settings_.set("layers", kLayers);
    settings_.set("work", 100);
  }
  std::string complaint() const { return backward_done(kGpus).complaint({region_, settings_}).value_or(""); }

  sim::Region region_;
  Settings settings_;
};

// Breaks when an honest pass is refused, whose GPUs run at the same time.
TEST_F(BackwardDone, OnAllGpusAtTheSameTime) { EXPECT_EQ(complaint(), ""); }

// Breaks when a GPU may leave a layer out.
TEST_F(BackwardDone, EveryLayer) {
  region_.kernels.pop_back();
  EXPECT_EQ(complaint(), "2 layers of the backward pass ran on GPU 1 instead of 3");
}

// Breaks when layers of one GPU may run beside each other.
TEST_F(BackwardDone, OneAfterTheOther) {
  region_.kernels[1].start = 0.5;
  EXPECT_EQ(complaint().substr(0, 64), "2 layers of the backward pass ran on GPU 0 at the same time: eac");
}

// Breaks when a kernel of somebody else's counts, or a layer without its chain.
TEST_F(BackwardDone, OnlyWholeLayers) {
  const sim::KernelRecord layer = region_.kernels[0];
  region_.kernels[0].name = "_ZN8roofline9gradients5layerI4MineEEvPKfPfmffi";
  EXPECT_NE(complaint(), "");
  region_.kernels[0] = layer;
  region_.kernels[0].counters.longest_cycles_l2 = 380;
  EXPECT_NE(complaint(), "");
}

}  // namespace
}  // namespace roofline::grader
