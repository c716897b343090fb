// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/kernel_fixture.h"

/// bar and barrier: counts, reductions, deadlocks.
namespace roofline::sim {
namespace {

using BarrierTest = KernelTest;

/// Shared memory is exchanged across a barrier; the last warp is partial.
TEST_F(BarrierTest, PartialLastWarpAndEarlyExit) {
  const u32 n = 90;
  const u64 out = upload(std::vector<u32>(100, 7));
  const LaunchResult r = run_well(R"(
  .shared .align 4 .b8 tile[1024];
  setp.ge.u32 %p1, %r1, 90;
  @%p1 bra $GONE;
  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.s32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r1;
  bar.sync 0;
  sub.s32 %r6, 90, %r1;
  shl.b32 %r7, %r6, 2;
  add.s32 %r5, %r3, %r7;
  ld.shared.u32 %r8, [%r5+-4];
)" + store("%r8") + "$GONE:\n",
                                  out, 0, 100);
  const auto got = download<u32>(out, 100);
  for (u32 t = 0; t < 100; ++t) EXPECT_EQ(got[t], t < n ? n - 1 - t : 7) << t;
  EXPECT_EQ(r.counters.barriers, 3u) << "the last warp never arrives";
}

TEST_F(BarrierTest, ReductionsCountPredicates) {
  const u64 counts = upload(std::vector<u32>(100)), flags = upload(std::vector<u32>(100));
  run_well(R"(
  setp.lt.u32 %p1, %r1, 37;
  bar.red.popc.u32 %r2, 0, %p1;
  bar.red.and.pred %p2, 0, %p1;
  bar.red.or.pred %p3, 0, %p1;
  bar.red.and.pred %p4, 0, !%p2;
  selp.u32 %r3, 1, 0, %p2;
  selp.u32 %r4, 2, 0, %p3;
  selp.u32 %r5, 4, 0, %p4;
  add.s32 %r6, %r3, %r4;
  add.s32 %r6, %r6, %r5;
)" + store("%r2") +
               "mov.u64 %rd1, %rd2;\n" + store("%r6"),
           counts, flags, 100);
  EXPECT_EQ(download<u32>(counts, 100), std::vector<u32>(100, 37));
  EXPECT_EQ(download<u32>(flags, 100), std::vector<u32>(100, 6));
}

/// Producer warps arrive without waiting, consumer warps wait: bar.arrive with an explicit count.
TEST_F(BarrierTest, ArriveDoesNotWait) {
  const u64 out = upload(std::vector<u32>(32));
  run_well(R"(
  .shared .align 4 .b8 box[4];
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra $CONSUME;
  st.shared.u32 [box], 42;
  bar.arrive 3, 64;
  ret;
$CONSUME:
  bar.sync 3, 64;
  ld.shared.u32 %r2, [box];
)" + store("%r2"),
           out, 0, 64);
  EXPECT_EQ(download<u32>(out, 32), std::vector<u32>(32, 42));
}

/// Half a warp in the branch with a barrier, the other half at a barrier behind it: both lines are named.
TEST_F(BarrierTest, DivergentBarrierNamesBothPlaces) {
  const std::string body = R"(
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra $SKIP;
  bar.sync 0;
$SKIP:
  barrier.sync.aligned 0;
)";
  const LaunchResult r = run(body);
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDivergentBarrier);
  EXPECT_NE(r.trap->message.find(place_of(body, "bar.sync")), std::string::npos) << r.trap->message;
  EXPECT_NE(r.trap->message.find(place_of(body, "barrier.sync")), std::string::npos) << r.trap->message;
}

/// A named barrier that expects more threads than ever come.
TEST_F(BarrierTest, DeadlockIsReportedNotAHang) {
  const std::string body = "bar.sync 1, 96;\n";
  const LaunchResult r = run(body, 0, 0, 64, 2);
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDeadlock);
  EXPECT_EQ(r.trap->block.x, 0u);
  EXPECT_NE(r.trap->message.find("64 threads wait at " + place_of(body, "bar.sync")), std::string::npos)
      << r.trap->message;
}

TEST_F(BarrierTest, EndlessLoopHitsTheTimeLimit) {
  device_.set_time_limit(0.2);
  const LaunchResult r = run("$L:\nbra.uni $L;\n");
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kTimeout);
}

}  // namespace
}  // namespace roofline::sim
