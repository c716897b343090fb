// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/machine_fixture.h"

/// Function calls: frames, recursion, pointers, parameters.
namespace roofline::sim {
namespace {

// ---- calls ----

constexpr const char* kRecursion = R"(
.func (.param .b32 result) fib(.param .b32 n) {
  .reg .pred %p<3>; .reg .b32 %r<9>;
  ld.param.u32 %r1, [n];
  setp.lt.u32 %p1, %r1, 2;
  @%p1 bra $SMALL;
  add.s32 %r2, %r1, -1;
  add.s32 %r3, %r1, -2;
  {
    .param .b32 p; .param .b32 q;
    st.param.b32 [p], %r2;
    call.uni (q), fib, (p);
    ld.param.b32 %r4, [q];
  }
  {
    .param .b32 p; .param .b32 q;
    st.param.b32 [p], %r3;
    call.uni (q), fib, (p);
    ld.param.b32 %r5, [q];
  }
  add.s32 %r6, %r4, %r5;
  st.param.b32 [result], %r6;
  ret;
$SMALL:
  st.param.b32 [result], %r1;
  ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<5>;
  .param .b32 p; .param .b32 q;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 7;
  st.param.b32 [p], %r2;
  call.uni (q), fib, (p);
  ld.param.b32 %r3, [q];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
})";

TEST(Calls, RecursionWithADepthOfItsOwnInEveryLane) {
  Machine m(kRecursion);
  const u64 out = m.upload(std::vector<u32>(64));
  const LaunchResult r = m.launch("k", {1}, {64}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const u32 fib[] = {0, 1, 1, 2, 3, 5, 8, 13};
  const auto got = m.download<u32>(out, 64);
  for (u32 t = 0; t < 64; ++t) EXPECT_EQ(got[t], fib[t % 8]) << t;
}

/// The lanes that have the lock have returned from the function in which the others wait for it.
TEST(Calls, ASpinLockInsideAFunction) {
  Machine m(R"(
.func (.param .b32 r) take(.param .b64 lock) {
  .reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [lock];
$TRY:
  atom.global.cas.b32 %r1, [%rd1], 0, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra $TRY;
  st.param.b32 [r], 7;
  ret;
}
.visible .entry k(.param .u64 lock, .param .u64 counter) {
  .reg .b32 %r<6>; .reg .b64 %rd<3>;
  .param .b64 p; .param .b32 q;
  ld.param.u64 %rd1, [lock];
  ld.param.u64 %rd2, [counter];
  st.param.b64 [p], %rd1;
  call (q), take, (p);
  ld.param.b32 %r1, [q];
  ld.volatile.global.u32 %r2, [%rd2];
  add.s32 %r3, %r2, %r1;
  st.volatile.global.u32 [%rd2], %r3;
  membar.gl;
  atom.global.exch.b32 %r4, [%rd1], 0;
  ret;
})");
  const u64 lock = m.upload(std::vector<u32>(1)), counter = m.upload(std::vector<u32>(1));
  const LaunchResult r = m.launch("k", {2}, {40}, lock, counter);
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(m.download<u32>(counter, 1)[0], 560u);
}

/// Some lanes return early from the function in which the others meet a barrier.
TEST(Calls, ABarrierBehindAnEarlyReturn) {
  Machine m(R"(
.func f(.param .b32 i) {
  .reg .pred %p<3>; .reg .b32 %r<3>;
  ld.param.u32 %r1, [i];
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra $OUT;
  barrier.sync 0;
$OUT:
  ret;
}
.visible .entry k() {
  .reg .pred %p<3>; .reg .b32 %r<6>;
  .param .b32 p;
  mov.u32 %r1, %tid.x;
  st.param.b32 [p], %r1;
  call f, (p);
  setp.ge.u32 %p1, %r1, 16;
  @%p1 bra $END;
  barrier.sync 0;
$END:
  ret;
})");
  EXPECT_FALSE(m.launch("k", {1}, {64}).trap);
}

TEST(Calls, EndlessRecursionOverflowsTheStack) {
  Machine m(R"(
.func f(.param .b32 n) {
  .reg .b32 %r<3>;
  .param .b32 p;
  ld.param.u32 %r1, [n];
  st.param.b32 [p], %r1;
  call.uni f, (p);
  ret;
}
.visible .entry k() {
  .param .b32 p;
  st.param.b32 [p], 1;
  call.uni f, (p);
  ret;
})");
  const LaunchResult r = m.launch("k", {1}, {32});
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kStackOverflow);
}

/// A table of function addresses in memory; odd and even lanes call different functions.
TEST(Calls, IndirectThroughATable) {
  Machine m(R"(
.func (.param .b32 r) twice(.param .b32 a) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [a];
  shl.b32 %r2, %r1, 1;
  st.param.b32 [r], %r2;
  ret;
}
.func (.param .b32 r) plus(.param .b32 a) {
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [a];
  add.s32 %r2, %r1, 100;
  st.param.b32 [r], %r2;
  ret;
}
.global .align 8 .u64 table[2] = {twice, plus};
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<9>;
  .param .b32 p; .param .b32 q;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  mul.wide.u32 %rd4, %r2, 8;
  mov.u64 %rd5, table;
  add.s64 %rd6, %rd5, %rd4;
  ld.global.u64 %rd7, [%rd6];
  st.param.b32 [p], %r1;
  proto: .callprototype (.param .b32 _) _ (.param .b32 _);
  call (q), %rd7, (p), proto;
  ld.param.b32 %r3, [q];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(32));
  const LaunchResult r = m.launch("k", {1}, {32}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, 32);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t % 2 ? t + 100 : t * 2) << t;
}

/// The address of a by-value argument is taken in the callee, whose frame lies above the caller's.
TEST(Calls, AddressOfAParameter) {
  Machine m(R"(
.func (.param .b32 r) pick(.param .align 4 .b8 s[16], .param .b32 i) {
  .reg .b32 %r<3>; .reg .b64 %rd<4>;
  mov.b64 %rd1, s;
  ld.param.u32 %r1, [i];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.local.u32 %r2, [%rd3];
  st.param.b32 [r], %r2;
  ret;
}
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<9>;
  .local .align 4 .b8 depot[64];
  .param .align 4 .b8 p0[16]; .param .b32 p1; .param .b32 q;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 3;
  add.s32 %r4, %r1, 1000;
  st.param.b32 [p0], %r1;
  st.param.b32 [p0+4], %r4;
  st.param.b32 [p0+8], 7;
  st.param.b32 [p0+12], 8;
  st.param.b32 [p1], %r2;
  call (q), pick, (p0, p1);
  ld.param.b32 %r3, [q];
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r3;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(32));
  const LaunchResult r = m.launch("k", {1}, {32}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, 32);
  for (u32 t = 0; t < 32; ++t) {
    const u32 expected[] = {t, t + 1000, 7, 8};
    EXPECT_EQ(got[t], expected[t % 4]) << t;
  }
}

/// Results in registers, which nothing in the function reads: written early, written as a copy, not written.
TEST(Calls, ResultsInRegisters) {
  Machine m(R"(
.global .b32 seen;
.func (.reg .b32 early, .reg .b32 copy, .reg .b32 never) f(.reg .b32 x) {
  .reg .b32 %r<9>;
  add.u32 early, x, 1;
  add.u32 %r1, x, 100;
  add.u32 %r2, %r1, 100;
  st.global.u32 [seen], %r2;
  mov.u32 copy, %r2;
}
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<9>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  call (%r2, %r3, %r4), f, (%r1);
  st.global.u32 [%rd1], %r2;
  st.global.u32 [%rd1+4], %r3;
  st.global.u32 [%rd1+8], %r4;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(3));
  const LaunchResult r = m.launch("k", {1}, {1}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(m.download<u32>(out, 3), (std::vector<u32>{1, 200, ~0u}));
}

}  // namespace
}  // namespace roofline::sim
