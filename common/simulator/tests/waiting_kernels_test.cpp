// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/kernel_fixture.h"

/// Kernels that wait in memory for what somebody else writes after their launch.
namespace roofline::sim {
namespace {

/// Thread 0 of each block waits until the word at p1 is not 0, and adds it to the word at p0.
const std::string kWait = R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
POLL:
  ld.volatile.global.u32 %r3, [%rd2];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra POLL;
  red.global.add.u32 [%rd1], %r3;
END:
)";
/// The same with a load that may stay in L1, behind a fence, and an atomic before: its blocks run in turns.
const std::string kWaitBehindFence = R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
POLL:
  membar.gl;
  ld.global.u32 %r3, [%rd2];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra POLL;
  atom.global.add.u32 %r4, [%rd1], %r3;
END:
)";
/// Gives up by itself.
const std::string kWaitForATime = R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
  mov.u64 %rd3, %clock64;
POLL:
  mov.u64 %rd4, %clock64;
  sub.u64 %rd4, %rd4, %rd3;
  setp.gt.u64 %p3, %rd4, 1000000;
  mov.u32 %r3, 77;
  @%p3 bra DONE;
  ld.volatile.global.u32 %r3, [%rd2];
  setp.eq.u32 %p2, %r3, 0;
  @%p2 bra POLL;
DONE:
  red.global.add.u32 [%rd1], %r3;
END:
)";

class WaitingKernelsTest : public KernelTest {
 protected:
  Launch launch_of(const std::string& body, u32 blocks, u64 p0, u64 p1) {
    const ModuleFacts module = device_.load_module(module_of(body), {});
    EXPECT_TRUE(module.functions.at(0).may_wait);
    return launch_of(module.functions[0].id, blocks, p0, p1);
  }
  static Launch launch_of(FunctionId function, u32 blocks, u64 p0, u64 p1) {
    Launch launch;
    launch.function = function;
    launch.grid = {blocks, 1, 1};
    launch.block = {32, 1, 1};
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &p0, 8);
    std::memcpy(launch.parameters.data() + 8, &p1, 8);
    return launch;
  }
  u32& word(u64 address) { return *reinterpret_cast<u32*>(device_.at(address)); }
};

/// Broken when a kernel that only looks is stopped, or is not asked about often.
TEST_F(WaitingKernelsTest, WhoWritesTheWordComesLater) {
  for (const std::string& body : {kWait, kWaitBehindFence})
    for (const u32 blocks : {1u, 40u, 5000u}) {
      const u64 sum = upload<u32>({0}), flag = upload<u32>({0});
      int turns = 0;
      const LetOthersGoOn others = [&](bool) {
        if (++turns == 3) word(flag) = 2;
        return Others::kWentOn;
      };
      const LaunchResult result = device_.launch(launch_of(body, blocks, sum, flag), 0, &others);
      EXPECT_FALSE(result.trap) << result.trap->message;
      EXPECT_EQ(turns, 3);
      EXPECT_EQ(word(sum), 2 * blocks);
    }
}

/// Broken when parameters, counters or blocks of two launches that run at the same time are mixed up.
TEST_F(WaitingKernelsTest, OthersMayBeLaunchesOfTheSameKernel) {
  for (const std::string& body : {kWait, kWaitBehindFence}) {
    const u64 sums = upload<u32>({0, 0}), flags = upload<u32>({0, 5});
    const Launch outer = launch_of(body, 3, sums, flags);
    const Launch inner = launch_of(outer.function, 2, sums + 4, flags + 4);
    LaunchResult of_inner;
    const LetOthersGoOn others = [&](bool) {
      of_inner = device_.launch(inner);
      EXPECT_EQ(word(sums), 0u);
      word(flags) = 9;
      return Others::kWentOn;
    };
    const LaunchResult of_outer = device_.launch(outer, 0, &others);
    EXPECT_FALSE(of_outer.trap) << of_outer.trap->message;
    EXPECT_FALSE(of_inner.trap) << of_inner.trap->message;
    EXPECT_EQ(word(sums), 3u * 9);
    EXPECT_EQ(word(sums + 4), 2u * 5);
    EXPECT_EQ(of_outer.counters.atomic_requests, 3u);
    EXPECT_EQ(of_inner.counters.atomic_requests, 2u);
  }
}

/// Broken when a wait that nobody ends goes on, or is reported while somebody may end it.
TEST_F(WaitingKernelsTest, WhatNobodyEndsIsADeadlock) {
  const u64 sum = upload<u32>({0}), flag = upload<u32>({0});
  for (const Others end : {Others::kChangeNothing, Others::kAreGone}) {
    int turns = 0;
    const LetOthersGoOn others = [&](bool) { return ++turns < 5 ? Others::kWentOn : end; };
    const LaunchResult result = device_.launch(launch_of(kWait, 2, sum, flag), 0, &others);
    ASSERT_TRUE(result.trap);
    EXPECT_EQ(result.trap->kind, TrapKind::kDeadlock);
    EXPECT_EQ(turns, 5);
  }
  EXPECT_EQ(run(kWait, sum, flag).trap->kind, TrapKind::kDeadlock) << "without others";
}

/// Broken when a kernel that looks at a clock is stopped because nobody changes memory.
TEST_F(WaitingKernelsTest, TimePassesWithoutOthers) {
  const u64 sum = upload<u32>({0}), flag = upload<u32>({0});
  const LetOthersGoOn nobody = [](bool) { return Others::kChangeNothing; };
  const LaunchResult result = device_.launch(launch_of(kWaitForATime, 2, sum, flag), 0, &nobody);
  EXPECT_FALSE(result.trap) << result.trap->message;
  EXPECT_EQ(word(sum), 2u * 77);
}

}  // namespace
}  // namespace roofline::sim
