// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/machine_fixture.h"

/// Lanes of a warp that meet at warp-wide instructions.
namespace roofline::sim {
namespace {

/// Lanes that took different ways to one shuffle must meet there, although the join comes later.
TEST(WarpSync, DivergedLanesMeetAtAShuffle) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r3, 0;
$LOOP:
  setp.ge.u32 %p1, %r3, %r1;
  @%p1 bra $OUT;
  add.s32 %r3, %r3, 1;
  bra.uni $LOOP;
$OUT:
  shfl.sync.bfly.b32 %r4, %r3, 1, 31, 0xffffffff;
  bar.warp.sync 0xffffffff;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(32));
  const LaunchResult r = m.launch("k", {1}, {32}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, 32);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t ^ 1) << t;
  EXPECT_EQ(m.count_of(r, "shfl"), 1u);
}

/// The same bar.warp.sync stands on both sides of a branch: lanes meet although they are at different places.
TEST(WarpSync, BarrierOnBothSidesOfABranch) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  .shared .align 4 .b8 box[4];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  mov.u32 %r2, 0;
  @%p1 bra $WRITE;
  bar.warp.sync 0xffffffff;
  ld.volatile.shared.u32 %r2, [box];
  bra.uni $END;
$WRITE:
  st.volatile.shared.u32 [box], 9;
  bar.warp.sync 0xffffffff;
$END:
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(32));
  const LaunchResult r = m.launch("k", {1}, {32}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, 32);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t == 0 ? 0u : 9u) << t;
}

/// Since sm_70 a shuffle in both arms of a branch is one shuffle. Broken by taking it for a deadlock.
TEST(WarpSync, ShuffleInBothArmsIsOne) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  add.u32 %r4, %r1, 100;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra $A;
  shfl.sync.bfly.b32 %r2, %r4, 16, 31, 0xffffffff;
  bra.uni $END;
$A:
  shfl.sync.bfly.b32 %r2, %r1, 16, 31, 0xffffffff;
$END:
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r2;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(32));
  const LaunchResult r = m.launch("k", {1}, {32}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, 32);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t < 16 ? t + 116 : t - 16) << t;
}

/// The lanes that a shuffle names wait at a vote for those that wait at the shuffle. Broken by taking any two
/// warp-wide instructions for one.
TEST(WarpSync, MissingLanesAreADeadlock) {
  Machine m(R"(
.visible .entry k() {
  .reg .pred %p<3>; .reg .b32 %r<9>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra $A;
  vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
  bra.uni $END;
$A:
  shfl.sync.idx.b32 %r3, %r1, 0, 31, 0xffffffff;
$END:
  ret;
})");
  const LaunchResult r = m.launch("k", {1}, {32});
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDeadlock);
  EXPECT_NE(r.trap->message.find("PTX line 10"), std::string::npos) << r.trap->message;
  EXPECT_NE(r.trap->message.find("PTX line 13"), std::string::npos) << r.trap->message;
}

/// Lanes that have ended are not waited for, whether they end before the others come to the shuffle or after.
TEST(WarpSync, EndedLanesAreNotMissing) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 8;
  @%p1 ret;
  setp.ge.u32 %p2, %r1, 24;
  @%p2 bra $LATE;
  shfl.sync.idx.b32 %r3, %r1, 12, 31, 0xffffffff;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
$LATE:
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(32));
  const LaunchResult r = m.launch("k", {1}, {32}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, 32);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t < 8 || t >= 24 ? 0u : 12u) << t;
}

}  // namespace
}  // namespace roofline::sim
