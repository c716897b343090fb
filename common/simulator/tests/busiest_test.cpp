// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What the busiest warp, block and SM must do bounds a kernel's time, whichever blocks were sampled.
#include "simulator/timing/busiest.h"

#include <gtest/gtest.h>

#include <string>

#include "simulator/tests/kernel_fixture.h"

namespace roofline::sim {
namespace {

class Busiest : public KernelTest {
 protected:
  /// A loop of additions in warp `warp` of block `block`; everybody else ends at once.
  static std::string in_one_warp(u32 block, u32 warp, u32 rounds) {
    return "mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, " + std::to_string(block) +
           "; @%p1 ret; shr.u32 %r3, %r1, 5; setp.ne.u32 %p2, %r3, " + std::to_string(warp) +
           "; @%p2 ret; mov.u32 %r4, 0;\nL: xor.b32 %r5, %r4, %r5; add.u32 %r4, %r4, 1; setp.lt.u32 %p3, "
           "%r4, " +
           std::to_string(rounds) + "; @%p3 bra L;\nst.global.u32 [%rd1], %r5;";
  }
  double seconds(const std::string& body, u32 threads, u32 blocks) {
    const u64 memory = upload(std::vector<u32>(1 << 20));
    return run_well(body, memory, memory, threads, blocks).time.seconds;
  }
};

// Breaks when only sampled blocks are looked at: whichever warp has the work, it takes its time.
TEST_F(Busiest, OneWarpIsSeenWhereverItIs) {
  constexpr u32 kRounds = 20000, kBlocks = 50;
  // xor, add and compare go to the ALU, of which a warp has a quarter; the branch to another pipe.
  const double least = 3.0 * kRounds * 2 / 1410e6;
  for (const u32 block : {0U, 1U, 7U, 25U, 31U, 49U})
    for (const u32 warp : {0U, 3U})
      EXPECT_GE(seconds(in_one_warp(block, warp, kRounds), 128, kBlocks), least) << block << ' ' << warp;
}

// Breaks when the rounds of one long warp are taken for as fast as pipes are: the test and the branch that
// follows it take 20 clocks a round, whichever block has them.
TEST_F(Busiest, OneLongWarpWaitsWhereverItIs) {
  constexpr u32 kRounds = 20000, kBlocks = 50;
  for (const u32 block : {0U, 1U, 25U, 49U}) {
    const double rounds = seconds(in_one_warp(block, 3, kRounds), 128, kBlocks) * 1410e6 / kRounds;
    EXPECT_GE(rounds, 20) << block;
    EXPECT_LE(rounds, 30) << block;
  }
}

// Breaks when one block's bytes are spread over the ports of SMs that do nothing.
TEST_F(Busiest, OneBlockHasOnePort) {
  const std::string body =
      "mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, 5; @%p1 ret; mul.wide.u32 %rd4, %r1, 16;"
      "add.s64 %rd5, %rd1, %rd4; mov.u32 %r4, 0;\n"
      "L: ld.global.cg.v4.u32 {%r5,%r6,%r7,%r8}, [%rd5]; st.global.v4.u32 [%rd5], {%r5,%r6,%r7,%r8};"
      "add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 500; @%p3 bra L;";
  // 16 KiB a round each way, 64 bytes a clock.
  EXPECT_GE(seconds(body, 1024, 100), 500 * 16384 / 64 / 1410e6);
}

// Breaks when work is counted as even although 109 of 1000 blocks have it: one of 108 SMs gets two of them.
TEST_F(Busiest, SomeSmHasTwoOfTheHeavyBlocks) {
  BusiestTally tally;
  ResourceUse light, heavy;
  light[ResourceUse::kIssue] = 1;
  heavy[ResourceUse::kIssue] = 1024;  // a step of the histogram: no rounding
  for (int i = 0; i < 1000; ++i) tally.add_block(i % 9 == 4 && i < 109 * 9 ? heavy : light, light);
  const BusiestUse found = tally.busiest(108);
  EXPECT_EQ(found.block[ResourceUse::kIssue], 1024U);
  EXPECT_EQ(found.sm[ResourceUse::kIssue], 2048U);
}

// Breaks when light and heavy blocks side by side count as the heavy ones alone: an SM has both.
TEST_F(Busiest, SomeSmHasTheAverage) {
  BusiestTally tally;
  ResourceUse light, heavy;
  light[ResourceUse::kIssue] = 16;
  heavy[ResourceUse::kIssue] = 24;
  for (int i = 0; i < 216; ++i) tally.add_block(i % 2 == 0 ? light : heavy, {});
  EXPECT_EQ(tally.busiest(108).sm[ResourceUse::kIssue], 40U);
}

// Breaks when the result depends on which host thread ran which block.
TEST_F(Busiest, TalliesAddUp) {
  BusiestTally one, left, right;
  for (u64 i = 0; i < 500; ++i) {
    ResourceUse use;
    use[ResourceUse::kReadSectors] = i * i % 97 * 1000;
    use[ResourceUse::kIssue] = i;
    one.add_block(use, use);
    (i % 3 == 0 ? left : right).add_block(use, use);
  }
  left.add(right);
  EXPECT_EQ(left.busiest(10).sm, one.busiest(10).sm);
  EXPECT_EQ(left.busiest(10).block, one.busiest(10).block);
  EXPECT_EQ(left.busiest(10).warp, one.busiest(10).warp);
}

// Breaks when the bound is above what a kernel takes whose warps share the work: then it is the resources.
TEST_F(Busiest, EvenWorkIsNotSlower) {
  const std::string body =
      "mov.u32 %r4, 0;\nL: fma.rn.f32 %f1, %f2, %f3, %f1; fma.rn.f32 %f4, %f2, %f3, %f4;"
      "fma.rn.f32 %f5, %f2, %f3, %f5; add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 100; @%p3 bra L;"
      "add.f32 %f1, %f1, %f4; add.f32 %f1, %f1, %f5; st.global.f32 [%rd1], %f1;";
  const u64 memory = upload(std::vector<u32>(1 << 10));
  const LaunchResult even = run_well(body, memory, memory, 256, 108 * 8);
  for (const auto& bound : even.time.bounds)
    EXPECT_NE(bound.resource.substr(0, 7), "busiest") << bound.resource;
}

// Breaks when a draw does not depend on the seed, or the time of an even kernel does.
TEST_F(Busiest, AnySeedGivesAnEvenKernelItsTime) {
  const std::string body =
      "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];"
      "sqrt.rn.f32 %f1, %f1; st.global.f32 [%rd5], %f1;";
  const u64 memory = upload(std::vector<u32>(1 << 10));
  const double first = run_well(body, memory, memory, 256, 500).time.seconds;
  for (u64 seed = 1; seed < 20; ++seed) {
    Launch launch;
    launch.function = function_;
    launch.grid = {500, 1, 1};
    launch.block = {256, 1, 1};
    launch.sample_seed = seed;
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &memory, 8);
    EXPECT_NEAR(device_.launch(launch).time.seconds, first, first * 0.005) << seed;
  }
}

}  // namespace
}  // namespace roofline::sim
