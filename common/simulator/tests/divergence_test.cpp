// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/kernel_fixture.h"

/// Lanes that part and meet again, lanes and blocks that wait for each other.
namespace roofline::sim {
namespace {

using Divergence = KernelTest;
using Fairness = KernelTest;

// ---- divergence ----

/// if (tid is odd) a else b; then one more instruction: both sides run once, the rest together.
TEST_F(Divergence, BothSidesMeetAtThePostDominator) {
  const u64 out = upload(std::vector<u32>(64));
  const LaunchResult r = run_well(R"(
  and.b32 %r2, %r1, 1;
  setp.eq.s32 %p1, %r2, 0;
  @%p1 bra $EVEN;
  add.s32 %r3, %r1, 1000;
  bra.uni $MEET;
$EVEN:
  mul.lo.s32 %r3, %r1, 3;
$MEET:
  xor.b32 %r4, %r3, 1;
)" + store("%r4"),
                                  out, 0, 64);
  const auto got = download<u32>(out, 64);
  for (u32 i = 0; i < 64; ++i) EXPECT_EQ(got[i], (i % 2 ? i + 1000 : i * 3) ^ 1) << i;
  EXPECT_EQ(issues_of(r, "add.s32"), 2u);
  EXPECT_EQ(issues_of(r, "mul.lo"), 2u);
  EXPECT_EQ(issues_of(r, "xor.b32"), 2u) << "the halves must meet again";
  EXPECT_EQ(r.counters.divergent_branches, 2u);
}

/// for (i = 0; i < 8; ++i) { if (i > tid) break; if (i & 1) continue; for (j = 0; j < tid; ++j) ++n; }
TEST_F(Divergence, NestedLoopsWithBreakAndContinue) {
  const u64 out = upload(std::vector<u32>(32));
  const LaunchResult r = run_well(R"(
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
)" + store("%r6"),
                                  out);
  const auto got = download<u32>(out, 32);
  for (u32 t = 0; t < 32; ++t) {
    u32 n = 0;
    for (u32 i = 0; i < 8 && i <= t; ++i)
      if (i % 2 == 0) n += t;
    EXPECT_EQ(got[t], 2 * n) << t;
  }
  EXPECT_EQ(issues_of(r, "shl.b32"), 1u) << "all lanes must leave the loops together";
}

TEST_F(Divergence, IndexedBranchGroupsLanesByTarget) {
  const u64 out = upload(std::vector<u32>(32));
  const LaunchResult r = run_well(R"(
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
)" + store("%r4"),
                                  out);
  const u32 expected[] = {10, 20, 30, 10};
  const auto got = download<u32>(out, 32);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], expected[t % 4] + t) << t;
  EXPECT_EQ(issues_of(r, "add.s32 %r4"), 1u);
}

// ---- lanes that wait for lanes ----

/// Under the lock at p0: one more in the counter at p1.
constexpr const char* kCountAndUnlock = R"(
  ld.volatile.global.u32 %r2, [%rd2];
  add.s32 %r3, %r2, 1;
  st.volatile.global.u32 [%rd2], %r3;
  membar.gl;
  atom.global.exch.b32 %r4, [%rd1], 0;
)";

/// Three blocks of 70 threads run `body`, which takes the lock at p0 and counts at p1.
class SpinLock : public KernelTest {
 protected:
  void counts_all(const std::string& body, const std::string& outside = "") {
    device_.set_time_limit(60);
    const u64 lock = upload(std::vector<u32>(1)), counter = upload(std::vector<u32>(1));
    run_well(body, lock, counter, 70, 3, outside);
    EXPECT_EQ(download<u32>(counter, 1)[0], 210u);
  }
};

/// 32 lanes take one lock: whoever holds it must run on while its siblings spin.
TEST_F(SpinLock, LanesOfOneWarpShareIt) {
  counts_all(R"(
$TRY:
  atom.global.cas.b32 %r1, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $TRY;
)" + std::string(kCountAndUnlock));
}

/// The try is a call, and the lanes part behind it before they try again, so that fragments end, join and go
/// on in every round of the wait. Broken by forgetting there how long it has lasted: the holder never runs.
TEST_F(SpinLock, WaitWithCallsAndBranchesGivesWay) {
  counts_all(R"(
  and.b32 %r6, %r1, 1;
  setp.ne.u32 %p2, %r6, 0;
$TRY:
  {
  .param .b64 a;
  .param .b32 b;
  st.param.b64 [a], %rd1;
  call (b), attempt, (a);
  ld.param.b32 %r8, [b];
  }
  setp.eq.u32 %p1, %r8, 0;
  @%p1 bra $TAKEN;
  @%p2 bra $ODD;
  add.u32 %r7, %r1, 1;
  bra.uni $AGAIN;
$ODD:
  add.u32 %r7, %r1, 2;
$AGAIN:
  bra.uni $TRY;
$TAKEN:
)" + std::string(kCountAndUnlock),
             R"(
.func (.param .b32 result) attempt(.param .b64 where) {
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [where];
  atom.global.cas.b32 %r1, [%rd1], 0, 1;
  st.param.b32 [result], %r1;
  ret;
}
)");
}

/// Lanes that failed spin in two loops, as groups of their own, while the holder waits behind the branch for
/// all of them. Broken when groups that spin only give way to each other: none lets the holder go on.
TEST_F(SpinLock, SeveralGroupsThatSpinLetTheHolderGo) {
  counts_all(R"(
  and.b32 %r6, %r1, 1;
  setp.ne.u32 %p2, %r6, 0;
  atom.global.cas.b32 %r8, [%rd1], 0, 1;
  setp.eq.u32 %p1, %r8, 0;
  @%p1 bra $TAKEN;
  @%p2 bra $ODD;
$EVEN:
  atom.global.cas.b32 %r8, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r8, 0;
  @%p1 bra $EVEN;
  bra.uni $TAKEN;
$ODD:
  atom.global.cas.b32 %r8, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r8, 0;
  @%p1 bra $ODD;
$TAKEN:
)" + std::string(kCountAndUnlock));
}

/// Blocks that only poll give way soon. Broken when each of them polls for a whole turn while the holder, in
/// another block, has to wait: thousands of polls for each time that the lock is taken.
TEST_F(SpinLock, HundredsOfBlocksCostTheHolderLittle) {
  constexpr u32 kBlocks = 200;
  const u64 lock = upload(std::vector<u32>(1)), counter = upload(std::vector<u32>(1));
  const LaunchResult r = run_well(R"(
$TRY:
  atom.global.cas.b32 %r1, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $TRY;
)" + std::string(kCountAndUnlock),
                                  lock, counter, 32, kBlocks);
  EXPECT_EQ(download<u32>(counter, 1)[0], 32 * kBlocks);
  EXPECT_LT(issues_of(r, "atom.global.cas"), u64{500} * 32 * kBlocks);
}

// ---- blocks that wait for blocks ----

/// The first block waits for a flag that only the last one sets: blocks must take turns.
TEST_F(Fairness, BlocksWaitForEachOtherThroughMemory) {
  const u64 flag = upload(std::vector<u32>(1)), out = upload(std::vector<u32>(1));
  run_well(R"(
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
)",
           flag, out, 32, 8);
  EXPECT_EQ(download<u32>(out, 1)[0], 7u * 32 * 5);
}

/// Nobody sets the flag: reported, with the line of the loop, without waiting for a time limit.
TEST_F(Fairness, WaitingForAFlagThatNobodySetsIsADeadlock) {
  const std::string body = R"(
$WAIT: ld.volatile.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra $WAIT;
)";
  device_.set_time_limit(0);
  const LaunchResult r = run(body, upload(std::vector<u32>(1)), 0, 64, 3);
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDeadlock);
  EXPECT_EQ(r.trap->block.x, 0u);
  EXPECT_NE(r.trap->message.find(place_of(body, "$WAIT")), std::string::npos) << r.trap->message;
}

/// What cooperative groups do for grid.sync(): everybody adds one, then waits until all have.
TEST_F(Fairness, GridBarrierThroughAtomics) {
  const u32 blocks = 200;
  const u64 arrived = upload(std::vector<u32>(1)), data = upload(std::vector<u32>(2 * blocks, 777));
  run_well(R"(
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %nctaid.x;
  mul.wide.u32 %rd4, %r2, 4;
  add.s64 %rd5, %rd2, %rd4;
  st.global.u32 [%rd5], %r2;
  barrier.sync 0;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $THERE;
  membar.gl;
  atom.global.add.u32 %r4, [%rd1], 1;
$WAIT:
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p2, %r5, %r3;
  @%p2 bra $WAIT;
$THERE:
  barrier.sync 0;
  // The neighbour's element into the second half.
  add.s32 %r6, %r2, 1;
  rem.u32 %r7, %r6, %r3;
  mul.wide.u32 %rd6, %r7, 4;
  add.s64 %rd7, %rd2, %rd6;
  ld.global.u32 %r8, [%rd7];
  mul.wide.u32 %rd8, %r3, 4;
  add.s64 %rd9, %rd5, %rd8;
  st.global.u32 [%rd9], %r8;
)",
           arrived, data, 64, blocks);
  const auto got = download<u32>(data, 2 * blocks);
  for (u32 b = 0; b < blocks; ++b) EXPECT_EQ(got[blocks + b], (b + 1) % blocks) << b;
}

}  // namespace
}  // namespace roofline::sim
