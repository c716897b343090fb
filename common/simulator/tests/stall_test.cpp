// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Why warps wait, from a kernel that runs to the instruction that waits.
#include "simulator/timing/stall.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "simulator/tests/kernel_fixture.h"

namespace roofline::sim {
namespace {

class Stalls : public KernelTest {
 protected:
  /// How a warp spends its time beside issuing, most first.
  static Stall most(const StallTimes& stalls) {
    const auto waits = stalls.of.begin() + 1;  // the first is kSelected
    return static_cast<Stall>(std::max_element(waits, stalls.of.end()) - stalls.of.begin());
  }
  static std::string reason(const LaunchResult& result) { return name_of(most(result.time.stalls)); }

  /// The first instruction with this text.
  StallTimes at(const LaunchResult& result, const std::string& text) {
    const auto& info = device_.instructions_of(function_);
    for (std::size_t i = 0; i < info.size() && i < result.time.stalls_of.size(); ++i)
      if (info[i].text.find(text) != std::string::npos) return result.time.stalls_of[i];
    ADD_FAILURE() << "no instruction " << text;
    return {};
  }

  static std::string loop(const std::string& body, u32 rounds = 200) {
    return "mov.u32 %r20, 0;\nL: add.u32 %r20, %r20, 1;\n" + body + "\nsetp.lt.u32 %p6, %r20, " +
           std::to_string(rounds) + ";\n@%p6 bra L;\n";
  }
};

// Breaks when a wait for memory has another name, or belongs to another instruction than the one that uses
// what was loaded.
TEST_F(Stalls, AChainOfLoadsWaitsForMemory) {
  const u64 memory = upload(std::vector<u64>(32, 0));
  const LaunchResult result =
      run_well("mov.u64 %rd4, 0;\n" +
                   loop("add.s64 %rd5, %rd1, %rd4;\nld.global.cg.u64 %rd6, [%rd5];\nxor.b64 %rd4, %rd6, 0;") +
                   "st.global.u64 [%rd1], %rd4;",
               memory);
  EXPECT_EQ(reason(result), "long scoreboard");
  const StallTimes user = at(result, "xor.b64");
  EXPECT_EQ(most(user), Stall::kLongScoreboard);
  EXPECT_GT(user[Stall::kLongScoreboard], 0.7 * result.time.seconds);
  EXPECT_EQ(at(result, "ld.global.cg")[Stall::kLongScoreboard], 0);
}

// Breaks when shared memory and what is beyond it are one reason.
TEST_F(Stalls, AChainThroughSharedMemoryWaitsForTheShortScoreboard) {
  const LaunchResult result =
      run_well("mov.u32 %r4, 0;\nst.shared.u32 [space], %r4;\n" +
                   loop("ld.shared.u32 %r5, [%r4];\nxor.b32 %r4, %r5, 0;") + store("%r4"),
               upload(std::vector<u32>(32)), 0, 32, 1, ".shared .align 4 .b8 space[128];");
  EXPECT_EQ(reason(result), "short scoreboard");
  EXPECT_EQ(most(at(result, "xor.b32")), Stall::kShortScoreboard);
}

// Breaks when warps that wait for the slowest at a barrier are said to wait for something else, or elsewhere:
// one warp of eight has a long chain of multiplications to do, the others nothing.
TEST_F(Stalls, IdleWarpsWaitAtTheBarrier) {
  const LaunchResult result =
      run_well("setp.gt.u32 %p2, %r1, 31;\nmov.f32 %f1, 0f3F800000;\n@%p2 bra M;\n" +
                   loop("fma.rn.f32 %f1, %f1, %f1, %f1;\n", 2000) + "M: bar.sync 0;\n" + store("%f1"),
               upload(std::vector<u32>(256)), 0, 256);
  EXPECT_EQ(reason(result), "barrier");
  const StallTimes barrier = at(result, "bar.sync");
  EXPECT_EQ(most(barrier), Stall::kBarrier);
  EXPECT_NEAR(barrier[Stall::kBarrier], 7.0 / 8 * result.time.seconds, 0.1 * result.time.seconds);
}

// Breaks when a busy pipe is taken for latency: 32 warps want the FP64 pipe, whose results none of them
// needs.
TEST_F(Stalls, ManyWarpsWaitForAPipe) {
  std::string body;
  for (int i = 1; i < 9; ++i)
    body += "fma.rn.f64 %fd" + std::to_string(i) + ", %fd9, %fd9, %fd" + std::to_string(i) + ";\n";
  std::string sum = "mul.wide.u32 %rd4, %r1, 8;\nadd.s64 %rd5, %rd1, %rd4;\n";
  for (int i = 2; i < 9; ++i) sum += "add.f64 %fd1, %fd1, %fd" + std::to_string(i) + ";\n";
  const LaunchResult result =
      run_well("mov.f64 %fd9, 0d3FF0000000000000;\n" + loop(body) + sum + "st.global.f64 [%rd5], %fd1;",
               upload(std::vector<f64>(1024)), 0, 1024);
  EXPECT_EQ(reason(result), "math pipe throttle");
  EXPECT_EQ(most(at(result, "fma.rn.f64 %fd4")), Stall::kMathPipeThrottle);
}

// Breaks when time is lost or counted twice on its way: instructions add up to the kernel, and the kernel to
// its time.
TEST_F(Stalls, AddUpToTheKernelsTime) {
  const LaunchResult result =
      run_well(loop("bar.sync 0;\nmul.f32 %f1, %f1, %f2;\nld.global.u32 %r4, [%rd1];"),
               upload(std::vector<u32>(32)), 0, 128, 300);
  StallTimes sum;
  for (const StallTimes& stalls : result.time.stalls_of) sum.add(stalls);
  for (std::size_t i = 0; i < kStallCount; ++i)
    EXPECT_NEAR(sum.of[i], result.time.stalls.of[i], 1e-9 * result.time.seconds) << i;
  EXPECT_NEAR(sum.sum(), result.time.seconds, 1e-9 * result.time.seconds);
}

}  // namespace
}  // namespace roofline::sim
