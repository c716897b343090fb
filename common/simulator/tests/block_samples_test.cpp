// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// How long a grid takes of which a few blocks were recorded, and of long ones a part.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "simulator/tests/kernel_fixture.h"

namespace roofline::sim {
namespace {

class UnevenBlocks : public KernelTest {
 protected:
  /// Of 2048 blocks the first 128 go round 620 times, the last ones 20 times.
  double seconds(u64 seed) {
    const ModuleFacts module = device_.load_module(
        module_of(
            "mov.u32 %r2, %ctaid.x; shr.u32 %r2, %r2, 7; sub.u32 %r2, 15, %r2;"
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
  for (u64 seed = 1; seed <= 24; ++seed) times.push_back(seconds(seed));
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  EXPECT_LE(*most / *least, 1.04);
}

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
