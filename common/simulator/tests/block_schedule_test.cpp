// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// How long a grid takes whose blocks differ.
#include "simulator/timing/block_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "simulator/tests/kernel_fixture.h"

namespace roofline::sim {
namespace {

// Breaks when blocks that share an SM do not share its rate, or when one alone goes faster than its results
// come.
TEST(BlockSchedule, EqualBlocksTakeRounds) {
  const BlockPace pace{.sms = 4, .resident = 2, .work = 10, .alone = 60, .together = 100};
  EXPECT_DOUBLE_EQ(clocks_of_blocks(pace, std::vector<u32>(8, 10)), 100);
  EXPECT_DOUBLE_EQ(clocks_of_blocks(pace, std::vector<u32>(16, 10)), 200);
  EXPECT_DOUBLE_EQ(clocks_of_blocks(pace, std::vector<u32>(4, 10)), 60);
  EXPECT_DOUBLE_EQ(clocks_of_blocks(pace, std::vector<u32>(9, 10)), 160)
      << "the last one has an SM to itself";
  EXPECT_EQ(clocks_of_blocks(pace, {}), 0);
}

// Breaks when a block does not take the place that is free first: 7 goes on where 2 has ended.
TEST(BlockSchedule, TheNextBlockTakesTheFirstFreePlace) {
  const BlockPace pace{.sms = 2, .resident = 1, .work = 1, .alone = 1, .together = 1};
  EXPECT_DOUBLE_EQ(clocks_of_blocks(pace, std::vector<u32>{8, 2, 7}), 9);
  EXPECT_DOUBLE_EQ(clocks_of_blocks(pace, std::vector<u32>{2, 2, 2, 2, 8}), 12) << "the longest one last";
  EXPECT_DOUBLE_EQ(clocks_of_blocks(pace, std::vector<u32>{8, 2, 2, 2, 2}), 8) << "and first";
}

class UnevenBlocks : public KernelTest {
 protected:
  /// Block b goes round 20 + 40 * (b mod 16) times, from the longest to the shortest or the other way.
  double seconds(bool longest_last, u64 seed) {
    const std::string order = longest_last ? "" : "sub.u32 %r2, 15, %r2;";
    const ModuleFacts module = device_.load_module(
        module_of(
            "mov.u32 %r2, %ctaid.x; shr.u32 %r2, %r2, 7; " + order +
            "mad.lo.u32 %r3, %r2, 40, 20; mov.u32 %r4, 0;\n"
            "L: fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f4, %f4, %f2, %f3; fma.rn.f32 %f5, %f5, %f2, %f3;"
            "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, %r3; @%p1 bra L;"
            "add.f32 %f1, %f1, %f4; add.f32 %f1, %f1, %f5; st.global.f32 [%rd1], %f1;"),
        {});
    Launch launch;
    launch.function = module.functions.at(0).id;
    launch.grid = {2048, 1, 1};
    launch.block = {256, 1, 1};
    launch.sample_seed = seed;
    launch.parameters.resize(16);
    const u64 memory = upload(std::vector<u32>(1 << 10));
    std::memcpy(launch.parameters.data(), &memory, 8);
    return device_.launch(launch).time.seconds;
  }
};

// Breaks when the recorded blocks, which any seed may draw among the short or the long ones, count for all.
TEST_F(UnevenBlocks, AnySeedGivesTheirTime) {
  std::vector<double> times;
  for (u64 seed = 1; seed <= 24; ++seed) times.push_back(seconds(false, seed));
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  EXPECT_LE(*most / *least, 1.04);
}

// Breaks when the order of launch is no matter: long blocks that start last are waited for.
TEST_F(UnevenBlocks, LongBlocksFirst) { EXPECT_GT(seconds(true, 1), 1.05 * seconds(false, 1)); }

// Breaks when blocks that do as many instructions as the average, but quick ones, stand for those that wait.
TEST_F(UnevenBlocks, DummiesDoNotHideSlowBlocks) {
  const u64 memory = upload(std::vector<u32>(1 << 16));
  const auto median = [&](const std::string& which) {
    std::vector<double> times;
    for (u64 seed = 1; seed <= 15; ++seed) {
      const ModuleFacts module = device_.load_module(
          module_of("mov.u32 %r2, 0; mov.u32 %r3, %ctaid.x; mov.u32 %r4, 0;" + which +
                    "@%p2 bra B;\n"
                    "A: mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4; ld.global.cg.u32 %r2, [%rd5];"
                    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 50; @%p1 bra A; bra C;\n"
                    "B: xor.b32 %r5, %r5, %r4; xor.b32 %r6, %r6, %r4; xor.b32 %r2, %r5, %r4;"
                    "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 50; @%p1 bra B;\n"
                    "C: st.global.u32 [%rd1+4096], %r2;"),
          {});
      Launch launch;
      launch.function = module.functions.at(0).id;
      launch.grid = {2160, 1, 1};
      launch.block = {32, 1, 1};
      launch.sample_seed = seed;
      launch.parameters.resize(16);
      std::memcpy(launch.parameters.data(), &memory, 8);
      times.push_back(device_.launch(launch).time.seconds);
    }
    std::nth_element(times.begin(), times.begin() + 7, times.end());
    return times[7];
  };
  const double slow = median("setp.lt.u32 %p2, %r3, 0;");
  const double every_other =
      median("mul.lo.u32 %r3, %r3, 0x9e3779b1; shr.u32 %r3, %r3, 31; setp.ne.u32 %p2, %r3, 0;");
  EXPECT_GT(every_other, 0.4 * slow);
}

class LongBlocks : public KernelTest {};

// Breaks when a step between two barriers that is longer than what is recorded takes the pace of what came
// before it: here one load after the other.
TEST_F(LongBlocks, ALongStepHasItsOwnPace) {
  const u64 memory = upload(std::vector<u32>(1 << 16));
  const auto seconds = [&](u32 rounds) {
    return run_well(
               "mov.u32 %r2, 0; mov.u32 %r4, 0;\n"
               "A: mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4; ld.global.cg.u32 %r2, [%rd5];"
               "add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, 60; @%p1 bra A; bar.sync 0; bar.sync 0;"
               "mov.u32 %r4, 0;\n"
               "L: fma.rn.f32 %f1, %f1, %f2, %f3; fma.rn.f32 %f4, %f4, %f2, %f3; add.u32 %r4, %r4, 1;"
               "setp.lt.u32 %p1, %r4, " +
                   std::to_string(rounds) +
                   "; @%p1 bra L; bar.sync 0; add.f32 %f1, %f1, %f4; st.global.f32 [%rd1+4096], %f1;",
               memory, 0, 1024, 108)
        .time.seconds;
  };
  EXPECT_NEAR((seconds(12000) - seconds(6000)) / (seconds(6000) - seconds(3000)), 2, 0.1);
  EXPECT_LT(seconds(12000), 2.2 * seconds(6000));
  EXPECT_LT(seconds(6000) * 1410e6, 6000 * 5 * 8 * 2) << "two clocks for each of a scheduler's instructions";
}

}  // namespace
}  // namespace roofline::sim
