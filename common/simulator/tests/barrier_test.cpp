// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/machine_fixture.h"

/// bar and barrier: counts, reductions, deadlocks.
namespace roofline::sim {
namespace {

// ---- barriers ----

/// Shared memory is exchanged across a barrier; the last warp is partial.
TEST(Barrier, PartialLastWarpAndEarlyExit) {
  Machine m(R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  .shared .align 4 .b8 tile[1024];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra $GONE;
  mov.u32 %r3, tile;
  shl.b32 %r4, %r2, 2;
  add.s32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r2;
  bar.sync 0;
  sub.s32 %r6, %r1, %r2;
  shl.b32 %r7, %r6, 2;
  add.s32 %r5, %r3, %r7;
  ld.shared.u32 %r8, [%r5+-4];
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r8;
$GONE:
  ret;
})");
  const u32 n = 90;
  const u64 out = m.upload(std::vector<u32>(100, 7));
  const LaunchResult r = m.launch("k", {1}, {100}, out, n);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, 100);
  for (u32 t = 0; t < 100; ++t) EXPECT_EQ(got[t], t < n ? n - 1 - t : 7) << t;
  EXPECT_EQ(r.counters.barriers, 3u) << "the last warp never arrives";
}

TEST(Barrier, ReductionsCountPredicates) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<6>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
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
  mul.wide.u32 %rd2, %r1, 8;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  st.global.u32 [%rd3+4], %r6;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(200));
  const LaunchResult r = m.launch("k", {1}, {100}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, 200);
  for (u32 t = 0; t < 100; ++t) {
    EXPECT_EQ(got[2 * t], 37u) << t;
    EXPECT_EQ(got[2 * t + 1], 6u) << t;
  }
}

/// Producer warps arrive without waiting, consumer warps wait: bar.arrive with an explicit count.
TEST(Barrier, ArriveDoesNotWait) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  .shared .align 4 .b8 box[4];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 32;
  @%p1 bra $CONSUME;
  st.shared.u32 [box], 42;
  bar.arrive 3, 64;
  ret;
$CONSUME:
  bar.sync 3, 64;
  ld.shared.u32 %r2, [box];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(32));
  const LaunchResult r = m.launch("k", {1}, {64}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(m.download<u32>(out, 32), std::vector<u32>(32, 42));
}

/// Half a warp in the branch with a barrier, the other half at a barrier behind it: both lines are named.
TEST(Barrier, DivergentBarrierNamesBothPlaces) {
  Machine m(R"(
.visible .entry k() {
  .reg .pred %p<3>; .reg .b32 %r<9>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra $SKIP;
  bar.sync 0;
$SKIP:
  bar.sync 0;
  ret;
})");
  const LaunchResult r = m.launch("k", {1}, {32});
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDivergentBarrier);
  EXPECT_NE(r.trap->message.find("PTX line 10"), std::string::npos) << r.trap->message;
  EXPECT_NE(r.trap->message.find("PTX line 12"), std::string::npos) << r.trap->message;
}

/// A named barrier that expects more threads than ever come.
TEST(Barrier, DeadlockIsReportedNotAHang) {
  Machine m(R"(
.visible .entry k() {
  bar.sync 1, 96;
  ret;
})");
  const LaunchResult r = m.launch("k", {2}, {64});
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDeadlock);
  EXPECT_EQ(r.trap->block.x, 0u);
  EXPECT_NE(r.trap->message.find("64 threads wait at PTX line 6"), std::string::npos) << r.trap->message;
}

TEST(Barrier, EndlessLoopHitsTheTimeLimit) {
  Machine m(R"(
.visible .entry k() {
$L:
  bra.uni $L;
})");
  m.device().set_time_limit(0.2);
  const LaunchResult r = m.launch("k", {1}, {32});
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kTimeout);
}

}  // namespace
}  // namespace roofline::sim
