// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "simulator/tests/kernel_fixture.h"

/// Lanes of a warp that meet at warp-wide instructions.
namespace roofline::sim {
namespace {

class WarpSync : public KernelTest {
 protected:
  /// What 32 threads stored; the kernel must end well.
  std::vector<u32> results_of(const std::string& body) {
    const u64 out = upload(std::vector<u32>(32));
    last_ = run_well(body, out);
    return download<u32>(out, 32);
  }
  LaunchResult last_;
};

/// Lanes that took different ways to one shuffle must meet there, although the join comes later.
TEST_F(WarpSync, DivergedLanesMeetAtAShuffle) {
  const auto got = results_of(R"(
  mov.u32 %r3, 0;
$LOOP:
  setp.ge.u32 %p1, %r3, %r1;
  @%p1 bra $OUT;
  add.s32 %r3, %r3, 1;
  bra.uni $LOOP;
$OUT:
  shfl.sync.bfly.b32 %r4, %r3, 1, 31, 0xffffffff;
  bar.warp.sync 0xffffffff;
)" + store("%r4"));
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t ^ 1) << t;
  EXPECT_EQ(issues_of(last_, "shfl"), 1u);
}

/// The same bar.warp.sync stands on both sides of a branch: lanes meet although they are at different places.
TEST_F(WarpSync, BarrierOnBothSidesOfABranch) {
  const auto got = results_of(R"(
  .shared .align 4 .b8 box[4];
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
)" + store("%r2"));
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t == 0 ? 0u : 9u) << t;
}

/// Since sm_70 a shuffle in both arms of a branch is one shuffle. Broken by taking it for a deadlock.
TEST_F(WarpSync, ShuffleInBothArmsIsOne) {
  const auto got = results_of(R"(
  add.u32 %r4, %r1, 100;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra $A;
  shfl.sync.bfly.b32 %r2, %r4, 16, 31, 0xffffffff;
  bra.uni $END;
$A:
  shfl.sync.bfly.b32 %r2, %r1, 16, 31, 0xffffffff;
$END:
)" + store("%r2"));
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t < 16 ? t + 116 : t - 16) << t;
}

/// Both arms of a branch by parity hold the same instructions; %r2 is the member mask of the thread's half of
/// the warp. Each arm must meet the other of its own half, not the other half, which waits at an instruction
/// like it.
std::string halves_in_two_arms(const std::string& instructions, const std::string& arm = "") {
  return R"(
  setp.lt.u32 %p1, %r1, 16;
  selp.u32 %r2, 0x0000ffff, 0xffff0000, %p1;
  and.b32 %r3, %r1, 1;
  setp.eq.u32 %p2, %r3, 0;
  mov.u32 %r4, 0;
  // Four groups: the lower odd, the lower even, the upper odd, the upper even lanes.
  @%p1 bra $LOWER;
  @%p2 bra $UPPER_EVEN;
)" + instructions +
         "bra.uni $END;\n$UPPER_EVEN:\n" + instructions + "bra.uni $END;\n$LOWER:\n@%p2 bra $LOWER_EVEN;\n" +
         instructions + "bra.uni $END;\n$LOWER_EVEN:\n" + arm + instructions + "$END:\n";
}

/// Broken by taking every waiting group at the same operation for one: the ballot had bits of both halves.
TEST_F(WarpSync, VotesOfDifferentMembersAreDifferentVotes) {
  const auto got = results_of(halves_in_two_arms("vote.sync.ballot.b32 %r4, %p2, %r2;\n") + store("%r4"));
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t < 16 ? 0x00005555u : 0x55550000u) << t;
}

TEST_F(WarpSync, ReductionsOfDifferentMembersAreDifferentReductions) {
  const auto got = results_of(halves_in_two_arms("redux.sync.add.u32 %r4, %r1, %r2;\n") + store("%r4"));
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t < 16 ? 120u : 376u) << t;
}

TEST_F(WarpSync, MatchesOfDifferentMembersAreDifferentMatches) {
  const auto got = results_of(halves_in_two_arms("match.any.sync.b32 %r4, %r3, %r2;\n") + store("%r4"));
  for (u32 t = 0; t < 32; ++t)
    EXPECT_EQ(got[t], (t < 16 ? 0x0000ffffu : 0xffff0000u) & (t % 2 ? 0xaaaaaaaau : 0x55555555u)) << t;
}

/// A barrier of one half must not let the other half go: its even lanes write late what its odd lanes read.
TEST_F(WarpSync, BarriersOfDifferentMembersAreDifferentBarriers) {
  const std::string at = "shl.b32 %r5, %r1, 2;\nmov.u32 %r6, box;\nadd.u32 %r5, %r5, %r6;\n";
  const auto got =
      results_of(".shared .align 4 .b8 box[132];\n" +
                 halves_in_two_arms(at + "bar.warp.sync %r2;\nld.volatile.shared.u32 %r4, [%r5];\n",
                                    at + "st.volatile.shared.u32 [%r5+4], 5;\n") +
                 store("%r4"));
  for (u32 t = 1; t < 16; t += 2) EXPECT_EQ(got[t], 5u) << t;
}

/// Two tiles in one convergent barrier, one of which lacks a lane that is elsewhere: it has to wait for it.
/// Broken by looking at the mask of the first lane only.
TEST_F(WarpSync, EveryTileWaitsForItsOwnMembers) {
  const auto got = results_of(R"(
  .shared .align 4 .b8 box[4];
  setp.lt.u32 %p1, %r1, 16;
  selp.u32 %r2, 0x0000ffff, 0xffff0000, %p1;
  mov.u32 %r4, 0;
  setp.eq.u32 %p2, %r1, 31;
  @%p2 bra $LATE;
  bar.warp.sync %r2;
  ld.volatile.shared.u32 %r4, [box];
  bra.uni $END;
$LATE:
  st.volatile.shared.u32 [box], 7;
  bar.warp.sync %r2;
$END:
)" + store("%r4"));
  for (u32 t = 16; t < 31; ++t) EXPECT_EQ(got[t], 7u) << t;
}

/// Masks that differ only in lanes that are no threads, or have ended, name the same members.
TEST_F(WarpSync, LanesThatDoNotLiveDoNotTellMasksApart) {
  const u64 out = upload(std::vector<u32>(24));
  run_well(R"(
  setp.ge.u32 %p3, %r1, 20;
  @%p3 ret;
  setp.lt.u32 %p1, %r1, 8;
  selp.u32 %r2, 0xffffffff, 0x000fffff, %p1;
  redux.sync.add.u32 %r4, 1, %r2;
)" + store("%r4"),
           out, 0, 24);
  const auto got = download<u32>(out, 24);
  for (u32 t = 0; t < 24; ++t) EXPECT_EQ(got[t], t < 20 ? 20u : 0u) << t;
}

/// The lanes that a shuffle names wait at a vote for those that wait at the shuffle. Broken by taking any two
/// warp-wide instructions for one.
TEST_F(WarpSync, MissingLanesAreADeadlock) {
  const std::string body = R"(
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra $A;
  vote.sync.ballot.b32 %r2, %p1, 0xffffffff;
  bra.uni $END;
$A:
  shfl.sync.idx.b32 %r3, %r1, 0, 31, 0xffffffff;
$END:
)";
  const LaunchResult r = run(body);
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDeadlock);
  EXPECT_NE(r.trap->message.find(place_of(body, "vote")), std::string::npos) << r.trap->message;
  EXPECT_NE(r.trap->message.find(place_of(body, "shfl")), std::string::npos) << r.trap->message;
}

/// Half a warp names the other half, which does not name it: both wait for ever, in two groups.
TEST_F(WarpSync, MembersThatDisagreeAreADeadlock) {
  const LaunchResult r = run(R"(
  setp.lt.u32 %p1, %r1, 16;
  selp.u32 %r2, 0xffffffff, 0xffff8000, %p1;
  bar.warp.sync %r2;
)");
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDeadlock);
  EXPECT_NE(r.trap->message.find("mask 0x0000ffff"), std::string::npos) << r.trap->message;
  EXPECT_NE(r.trap->message.find("mask 0xffff0000"), std::string::npos) << r.trap->message;
}

/// Lanes that have ended are not waited for, whether they end before the others come to the shuffle or after.
TEST_F(WarpSync, EndedLanesAreNotMissing) {
  const auto got = results_of(R"(
  setp.lt.u32 %p1, %r1, 8;
  @%p1 ret;
  setp.ge.u32 %p2, %r1, 24;
  @%p2 bra $LATE;
  shfl.sync.idx.b32 %r3, %r1, 12, 31, 0xffffffff;
)" + store("%r3") + "$LATE:\n");
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t < 8 || t >= 24 ? 0u : 12u) << t;
}

}  // namespace
}  // namespace roofline::sim
