// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/machine_fixture.h"

/// Lanes that part and meet again, lanes and blocks that wait for each other.
namespace roofline::sim {
namespace {

// ---- divergence ----

/// if (tid is odd) a else b; then one more instruction: both sides run once, the rest together.
TEST(Divergence, BothSidesMeetAtThePostDominator) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  setp.eq.s32 %p1, %r2, 0;
  @%p1 bra $EVEN;
  add.s32 %r3, %r1, 1000;
  bra.uni $MEET;
$EVEN:
  mul.lo.s32 %r3, %r1, 3;
$MEET:
  xor.b32 %r4, %r3, 1;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(64));
  const LaunchResult r = m.launch("k", {1}, {64}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, 64);
  for (u32 i = 0; i < 64; ++i) EXPECT_EQ(got[i], (i % 2 ? i + 1000 : i * 3) ^ 1) << i;
  EXPECT_EQ(m.count_of(r, "add.s32"), 2u);
  EXPECT_EQ(m.count_of(r, "mul.lo"), 2u);
  EXPECT_EQ(m.count_of(r, "xor.b32"), 2u) << "the halves must meet again";
  EXPECT_EQ(r.counters.divergent_branches, 2u);
}

/// for (i = 0; i < 8; ++i) { if (i > tid) break; if (i & 1) continue; for (j = 0; j < tid; ++j) ++n; }
TEST(Divergence, NestedLoopsWithBreakAndContinue) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<5>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0;
  mov.u32 %r3, 0;
$OUTER:
  setp.gt.u32 %p1, %r3, %r1;
  @%p1 bra $END;
  and.b32 %r4, %r3, 1;
  setp.ne.u32 %p2, %r4, 0;
  @%p2 bra $NEXT;
  mov.u32 %r5, 0;
$INNER:
  setp.ge.u32 %p3, %r5, %r1;
  @%p3 bra $NEXT;
  add.s32 %r2, %r2, 1;
  add.s32 %r5, %r5, 1;
  bra.uni $INNER;
$NEXT:
  add.s32 %r3, %r3, 1;
  setp.lt.u32 %p4, %r3, 8;
  @%p4 bra $OUTER;
$END:
  shl.b32 %r6, %r2, 1;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r6;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(32));
  const LaunchResult r = m.launch("k", {1}, {32}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, 32);
  for (u32 t = 0; t < 32; ++t) {
    u32 n = 0;
    for (u32 i = 0; i < 8 && i <= t; ++i)
      if (i % 2 == 0) n += t;
    EXPECT_EQ(got[t], 2 * n) << t;
  }
  EXPECT_EQ(m.count_of(r, "shl.b32"), 1u) << "all lanes must leave the loops together";
}

TEST(Divergence, IndexedBranchGroupsLanesByTarget) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 3;
$T: .branchtargets $A, $B, $C, $A;
  brx.idx %r2, $T;
$A:
  mov.u32 %r3, 10;
  bra.uni $M;
$B:
  mov.u32 %r3, 20;
  bra.uni $M;
$C:
  mov.u32 %r3, 30;
$M:
  add.s32 %r4, %r3, %r1;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(32));
  const LaunchResult r = m.launch("k", {1}, {32}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const u32 expected[] = {10, 20, 30, 10};
  const auto got = m.download<u32>(out, 32);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], expected[t % 4] + t) << t;
  EXPECT_EQ(m.count_of(r, "add.s32 %r4"), 1u);
}

/// 32 lanes take one lock: whoever holds it must run on while its siblings spin.
constexpr const char* kSpinLock = R"(
.visible .entry k(.param .u64 lock, .param .u64 counter) {
  .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [lock];
  ld.param.u64 %rd2, [counter];
$TRY:
  atom.global.cas.b32 %r1, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $TRY;
  ld.volatile.global.u32 %r2, [%rd2];
  add.s32 %r3, %r2, 1;
  st.volatile.global.u32 [%rd2], %r3;
  membar.gl;
  atom.global.exch.b32 %r4, [%rd1], 0;
  ret;
})";

TEST(Fairness, LanesOfOneWarpShareASpinLock) {
  Machine m(kSpinLock);
  const u64 lock = m.upload(std::vector<u32>(1)), counter = m.upload(std::vector<u32>(1));
  const LaunchResult r = m.launch("k", {3}, {70}, lock, counter);
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(m.download<u32>(counter, 1)[0], 210u);
}

/// The try is a call, and the lanes part behind it before they try again, so that fragments end, join and go
/// on in every round of the wait. Broken by forgetting there how long it has lasted: the holder never runs.
TEST(Fairness, WaitWithCallsAndBranchesGivesWay) {
  Machine m(R"(
.func (.param .b32 result) attempt(.param .b64 where) {
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [where];
  atom.global.cas.b32 %r1, [%rd1], 0, 1;
  st.param.b32 [result], %r1;
  ret;
}
.visible .entry k(.param .u64 lock, .param .u64 counter) {
  .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [lock];
  ld.param.u64 %rd2, [counter];
  mov.u32 %r5, %tid.x;
  and.b32 %r6, %r5, 1;
  setp.ne.u32 %p2, %r6, 0;
$TRY:
  {
  .param .b64 a;
  .param .b32 b;
  st.param.b64 [a], %rd1;
  call (b), attempt, (a);
  ld.param.b32 %r1, [b];
  }
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra $TAKEN;
  @%p2 bra $ODD;
  add.u32 %r7, %r5, 1;
  bra.uni $AGAIN;
$ODD:
  add.u32 %r7, %r5, 2;
$AGAIN:
  bra.uni $TRY;
$TAKEN:
  ld.volatile.global.u32 %r2, [%rd2];
  add.s32 %r3, %r2, 1;
  st.volatile.global.u32 [%rd2], %r3;
  membar.gl;
  atom.global.exch.b32 %r4, [%rd1], 0;
  ret;
})");
  const u64 lock = m.upload(std::vector<u32>(1)), counter = m.upload(std::vector<u32>(1));
  const LaunchResult r = m.launch("k", {3}, {70}, lock, counter);
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(m.download<u32>(counter, 1)[0], 210u);
}

/// The first block waits for a flag that only the last one sets: blocks must take turns.
TEST(Fairness, BlocksWaitForEachOtherThroughMemory) {
  Machine m(R"(
.visible .entry k(.param .u64 flag, .param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [flag];
  ld.param.u64 %rd2, [out];
  mov.u32 %r1, %ctaid.x;
  setp.eq.u32 %p1, %r1, 7;
  @%p1 bra $PRODUCE;
$WAIT:
  ld.acquire.gpu.global.u32 %r2, [%rd1];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra $WAIT;
  atom.global.add.u32 %r3, [%rd2], %r2;
  ret;
$PRODUCE:
  st.release.gpu.global.u32 [%rd1], 5;
  ret;
})");
  const u64 flag = m.upload(std::vector<u32>(1)), out = m.upload(std::vector<u32>(1));
  const LaunchResult r = m.launch("k", {8}, {32}, flag, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(m.download<u32>(out, 1)[0], 7u * 32 * 5);
}

/// Nobody sets the flag: reported, with the line of the loop, without waiting for a time limit.
TEST(Fairness, WaitingForAFlagThatNobodySetsIsADeadlock) {
  Machine m(R"(
.visible .entry k(.param .u64 flag) {
  .reg .pred %p<3>; .reg .b32 %r<6>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [flag];
$WAIT:
  ld.volatile.global.u32 %r2, [%rd1];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra $WAIT;
  ret;
})");
  m.device().set_time_limit(0);
  const u64 flag = m.upload(std::vector<u32>(1));
  const LaunchResult r = m.launch("k", {3}, {64}, flag);
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDeadlock);
  EXPECT_EQ(r.trap->block.x, 0u);
  EXPECT_GE(r.trap->ptx_line, 9u);
  EXPECT_LE(r.trap->ptx_line, 11u);
}

/// What cooperative groups do for grid.sync(): everybody adds one, then waits until all have.
TEST(Fairness, GridBarrierThroughAtomics) {
  Machine m(R"(
.visible .entry k(.param .u64 arrived, .param .u64 data, .param .u64 out, .param .u32 blocks) {
  .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [arrived];
  ld.param.u64 %rd2, [data];
  ld.param.u64 %rd3, [out];
  ld.param.u32 %r1, [blocks];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mul.wide.u32 %rd4, %r2, 4;
  add.s64 %rd5, %rd2, %rd4;
  st.global.u32 [%rd5], %r2;
  barrier.sync 0;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra $THERE;
  membar.gl;
  atom.global.add.u32 %r4, [%rd1], 1;
$WAIT:
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p2, %r5, %r1;
  @%p2 bra $WAIT;
$THERE:
  barrier.sync 0;
  add.s32 %r6, %r2, 1;
  rem.u32 %r7, %r6, %r1;
  mul.wide.u32 %rd6, %r7, 4;
  add.s64 %rd7, %rd2, %rd6;
  ld.global.u32 %r8, [%rd7];
  add.s64 %rd8, %rd3, %rd4;
  st.global.u32 [%rd8], %r8;
  ret;
})");
  const u32 blocks = 200;
  const u64 arrived = m.upload(std::vector<u32>(1)), data = m.upload(std::vector<u32>(blocks, 777)),
            out = m.upload(std::vector<u32>(blocks));
  const LaunchResult r = m.launch("k", {blocks}, {64}, arrived, data, out, blocks);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, blocks);
  for (u32 b = 0; b < blocks; ++b) EXPECT_EQ(got[b], (b + 1) % blocks) << b;
}

// ---- warp-wide instructions ----

}  // namespace
}  // namespace roofline::sim
