// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "simulator/machine/device.h"

/// Hand-written PTX through Device: scheduling, divergence, calls, barriers, traps, determinism.
namespace roofline::sim {
namespace {

constexpr const char* kHeader = ".version 7.8\n.target sm_80\n.address_size 64\n";

/// A device with one module, and vectors on it.
class Machine {
 public:
  explicit Machine(const std::string& ptx, unsigned threads = 1)
      : device_(load_device(std::string(SIMULATOR_SOURCE) + "/devices", "a100-sxm4-40gb"), threads) {
    device_.set_time_limit(60);
    facts_ = device_.load_module(kHeader + ptx, {});
  }

  template <class T>
  u64 upload(const std::vector<T>& values) {
    const u64 address = device_.allocate(values.size() * sizeof(T), "test");
    std::memcpy(device_.at(address), values.data(), values.size() * sizeof(T));
    return address;
  }
  template <class T>
  std::vector<T> download(u64 address, size_t n) {
    std::vector<T> values(n);
    std::memcpy(values.data(), device_.at(address), n * sizeof(T));
    return values;
  }

  template <class... P>
  LaunchResult launch(const std::string& kernel, Dim3 grid, Dim3 block, P... parameters) {
    Launch launch;
    launch.grid = grid;
    launch.block = block;
    for (const FunctionFacts& f : facts_.functions) {
      if (f.name != kernel) continue;
      launch.function = f.id;
      launch.parameters.resize(f.parameter_bytes);
      size_t i = 0;
      ((std::memcpy(launch.parameters.data() + f.parameter_offsets.at(i++), &parameters, sizeof parameters)),
       ...);
    }
    EXPECT_EQ(device_.check_launch(launch), "");
    return device_.launch(launch);
  }

  u32 count_of(const LaunchResult& result, const std::string& text) {
    const auto& info = device_.instructions_of(facts_.functions.front().id);
    for (size_t i = 0; i < info.size(); ++i)
      if (info[i].text.find(text) != std::string::npos)
        return static_cast<u32>(result.counters.per_instruction[i].warps);
    ADD_FAILURE() << "no instruction " << text;
    return 0;
  }

  Device& device() { return device_; }
  const ModuleFacts& facts() const { return facts_; }

 private:
  Device device_;
  ModuleFacts facts_;
};

constexpr const char* kSaxpy = R"(
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<8>;
  ld.param.u32 %r2, [n];
  ld.param.f32 %f1, [a];
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r1, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r1, %r2;
  @%p1 bra $DONE;
  cvta.to.global.u64 %rd3, %rd1;
  mul.wide.s32 %rd4, %r1, 4;
  add.s64 %rd5, %rd3, %rd4;
  cvta.to.global.u64 %rd6, %rd2;
  add.s64 %rd7, %rd6, %rd4;
  ld.global.f32 %f2, [%rd5];
  ld.global.f32 %f3, [%rd7];
  fma.rn.f32 %f4, %f2, %f1, %f3;
  st.global.f32 [%rd7], %f4;
$DONE:
  ret;
})";

TEST(Machine, SaxpyComputesAndCounts) {
  Machine m(kSaxpy);
  const u32 n = 1000;  // the last warp is partly beyond the end
  std::vector<f32> x(n), y(n);
  for (u32 i = 0; i < n; ++i) x[i] = static_cast<f32>(i), y[i] = 1;
  const u64 dx = m.upload(x), dy = m.upload(y);
  const LaunchResult r = m.launch("saxpy", {4}, {256}, n, 2.0f, dx, dy);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<f32>(dy, n);
  for (u32 i = 0; i < n; ++i) ASSERT_EQ(got[i], 2.0f * static_cast<f32>(i) + 1) << i;
  EXPECT_EQ(r.counters.flops[static_cast<size_t>(FlopType::kF32)], 2 * n);
  EXPECT_EQ(m.count_of(r, "fma.rn"), 32u);
  // Every PTX instruction is counted, also those that need no execution: 9 loads of values and 11 others a
  // warp.
  EXPECT_EQ(m.count_of(r, "ld.param.u64 %rd1"), 32u);
  EXPECT_EQ(m.count_of(r, "cvta"), 32u);
  EXPECT_EQ(r.counters.global_load_bytes, 8 * n);
  EXPECT_GT(r.time.seconds, 0);
}

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

// ---- warp-wide instructions ----

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

/// A shuffle that names lanes which never come.
TEST(WarpSync, MissingLanesAreADeadlock) {
  Machine m(R"(
.visible .entry k() {
  .reg .pred %p<3>; .reg .b32 %r<9>;
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra $A;
  shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xffffffff;
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

// ---- determinism ----

struct Seen {
  std::vector<u32> memory;
  KernelCounters counters;
  double seconds;
};

void expect_same(const Seen& a, const Seen& b) {
  EXPECT_EQ(a.memory, b.memory);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.counters.l2_hit_sectors, b.counters.l2_hit_sectors);
  EXPECT_EQ(a.counters.l1_hit_sectors, b.counters.l1_hit_sectors);
  EXPECT_EQ(a.counters.dram_read_bytes, b.counters.dram_read_bytes);
  EXPECT_EQ(a.counters.dram_write_bytes, b.counters.dram_write_bytes);
  EXPECT_EQ(a.counters.atomic_same_address_max, b.counters.atomic_same_address_max);
  EXPECT_EQ(a.counters.block_cycles_dram, b.counters.block_cycles_dram);
  ASSERT_EQ(a.counters.per_instruction.size(), b.counters.per_instruction.size());
  for (size_t i = 0; i < a.counters.per_instruction.size(); ++i) {
    EXPECT_EQ(a.counters.per_instruction[i].lanes, b.counters.per_instruction[i].lanes) << i;
    EXPECT_EQ(a.counters.per_instruction[i].sectors, b.counters.per_instruction[i].sectors) << i;
  }
}

/// A histogram by atomics without results over a working set larger than L2, twice: blocks run on all
/// threads.
TEST(Determinism, ThreadsChangeNothing) {
  constexpr const char* kHistogram = R"(
.visible .entry k(.param .u64 in, .param .u64 bins) {
  .reg .b32 %r<9>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [bins];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r3, %r1, 256, %r2;
  mul.lo.u32 %r4, %r3, 40503;
  and.b32 %r5, %r4, 262143;
  mul.wide.u32 %rd3, %r5, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r6, [%rd4];
  and.b32 %r7, %r6, 63;
  mul.wide.u32 %rd5, %r7, 4;
  add.s64 %rd6, %rd2, %rd5;
  red.global.add.u32 [%rd6], %r3;
  ret;
})";
  const auto run = [&](unsigned threads) {
    Machine m(kHistogram, threads);
    std::vector<u32> in(262144);
    std::iota(in.begin(), in.end(), 0u);
    const u64 din = m.upload(in), bins = m.upload(std::vector<u32>(64));
    m.launch("k", {1024}, {256}, din, bins);
    LaunchResult r = m.launch("k", {1024}, {256}, din, bins);
    EXPECT_FALSE(r.trap);
    return Seen{m.download<u32>(bins, 64), r.counters, r.time.seconds};
  };
  const Seen one = run(1);
  for (unsigned threads : {2u, 5u}) expect_same(one, run(threads));
}

/// Many blocks fault; whichever thread is first, the lowest block is the one reported.
TEST(Determinism, TheLowestBlocksTrapIsReported) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  setp.lt.u32 %p1, %r1, 41;
  @%p1 bra $END;
  st.global.u32 [%rd1+65536], %r1;
$END:
  ret;
})",
            4);
  const u64 out = m.upload(std::vector<u32>(16));
  for (int i = 0; i < 20; ++i) {
    const LaunchResult r = m.launch("k", {500}, {64}, out);
    ASSERT_TRUE(r.trap);
    EXPECT_EQ(r.trap->kind, TrapKind::kIllegalAddress);
    EXPECT_EQ(r.trap->block.x, 41u);
    EXPECT_EQ(r.trap->ptx_line, 11u);
  }
}

// ---- registers ----

/// Special registers of a three-dimensional launch, against the definition.
TEST(Registers, SpecialRegistersInThreeDimensions) {
  Machine m(R"(
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<20>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
  mov.u32 %r3, %tid.z;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %ntid.y;
  mov.u32 %r6, %ctaid.y;
  mad.lo.u32 %r7, %r3, %r5, %r2;
  mad.lo.u32 %r8, %r7, %r4, %r1;
  mov.u32 %r9, %laneid;
  mov.u32 %r10, %warpid;
  mad.lo.u32 %r11, %r10, 32, %r9;
  sub.u32 %r12, %r11, %r8;
  mad.lo.u32 %r13, %r6, 1000, %r12;
  mov.u32 %r14, %lanemask_lt;
  popc.b32 %r15, %r14;
  sub.u32 %r16, %r15, %r9;
  add.u32 %r17, %r13, %r16;
  mad.lo.u32 %r18, %r6, 60, %r8;
  mul.wide.u32 %rd2, %r18, 4;
  add.s64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r17;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(180, 1));
  const LaunchResult r = m.launch("k", {1, 3}, {5, 4, 3}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  const auto got = m.download<u32>(out, 180);
  for (u32 i = 0; i < 180; ++i) EXPECT_EQ(got[i], i / 60 * 1000) << i;
}

/// A value copied in a loop must not be replaced by its source where the source has moved on.
TEST(Registers, CopiesThatTheirSourceOutruns) {
  Machine m(R"(
.visible .entry k(.param .u64 out, .param .u32 n) {
  .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
$LOOP:
  mul.lo.u32 %r3, %r2, 10;
  setp.ne.u32 %p1, %r2, 2;
  @%p1 bra $SKIP;
  mov.u32 %r4, %r3;
$SKIP:
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p2, %r2, %r1;
  @%p2 bra $LOOP;
  st.global.u32 [%rd1], %r4;
  st.global.u32 [%rd1+4], %r3;
  ret;
})");
  const u64 out = m.upload(std::vector<u32>(2));
  const LaunchResult r = m.launch("k", {1}, {1}, out, u32{6});
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(m.download<u32>(out, 2), (std::vector<u32>{20, 50}));
}

/// Wider registers than types: loads extend, stores and shifts narrow.
TEST(Registers, HiddenConversions) {
  Machine m(R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .s8 small) {
  .reg .b16 %rs<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.s8 %r7, [small];
  ld.global.s8 %r1, [%rd1];
  ld.global.u8 %r2, [%rd1];
  ld.global.s16 %rd3, [%rd1];
  st.global.u32 [%rd2], %r1;
  st.global.u32 [%rd2+4], %r2;
  st.global.u64 [%rd2+8], %rd3;
  st.global.u8 [%rd2+16], %rd3;
  st.global.u32 [%rd2+20], %r7;
  ret;
})");
  const u64 in = m.upload(std::vector<u32>{0x000080feu}), out = m.upload(std::vector<u32>(6));
  const LaunchResult r = m.launch("k", {1}, {1}, in, out, s8{-3});
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(m.download<u32>(out, 6),
            (std::vector<u32>{0xfffffffeu, 0xfeu, 0xffff80feu, 0xffffffffu, 0xfeu, 0xfffffffdu}));
}

/// Operand ports: an FMA that reads three registers is slower unless the operand cache holds one. In a
/// dependent chain it never does (ptxas puts other chains between), except for a register that most FMAs of
/// the block share.
TEST(Registers, FmasWithThreeRegisterSources) {
  const auto kernel = [](const char* fmas) {
    return R"(.visible .entry k(.param .u64 in) {
  .reg .f32 %f<9>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [in];
  ld.global.f32 %f1, [%rd1];
  ld.global.f32 %f2, [%rd1+4];
  ld.global.f32 %f3, [%rd1+8];
  ld.global.f32 %f4, [%rd1+12];
  ld.global.f32 %f5, [%rd1+16];
)" + std::string(fmas) +
           "st.global.f32 [%rd1], %f5;\nret;\n}";
  };
  const auto count = [&](const char* fmas) {
    Machine m(kernel(fmas));
    const u64 in = m.upload(std::vector<f32>(8, 1.0f));
    return m.launch("k", {1}, {32}, in).counters.three_register_fma;
  };
  EXPECT_EQ(count("fma.rn.f32 %f5, %f5, %f1, %f2; fma.rn.f32 %f5, %f5, %f3, %f4;"
                  "fma.rn.f32 %f5, %f5, %f2, %f3; fma.rn.f32 %f5, %f5, %f4, %f1;"),
            4u);
  EXPECT_EQ(count("fma.rn.f32 %f5, %f5, %f1, %f2; fma.rn.f32 %f5, %f5, %f1, %f4;"
                  "fma.rn.f32 %f5, %f5, %f1, %f3; fma.rn.f32 %f5, %f5, %f1, %f1;"),
            0u);
  EXPECT_EQ(count("fma.rn.f32 %f5, %f5, 0f3F800000, %f2; fma.rn.f32 %f5, %f5, %f3, 0f3F800000;"), 0u);
}

/// A thousand values, one alive at a time: rows are shared, so that a warp's registers stay in the cache.
TEST(Registers, RowsAreSharedByLiveness) {
  std::string ptx =
      ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<2001>; .reg .b64 %rd<3>;\nld.param.u64 %rd1, "
      "[out];\nmov.u32 %r0, %tid.x;\n";
  for (int i = 1; i <= 1000; ++i)
    ptx += "add.u32 %r" + std::to_string(i) + ", %r" + std::to_string(i - 1) + ", 1;\n";
  Machine m(ptx + "st.global.u32 [%rd1], %r1000;\nret;\n}");
  const u64 out = m.upload(std::vector<u32>(1));
  const LaunchResult r = m.launch("k", {1}, {1}, out);
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(m.download<u32>(out, 1)[0], 1000u);
  EXPECT_LE(r.resources.registers, 16u);
  EXPECT_TRUE(r.resources.registers_estimated);
}

TEST(Load, UnknownInstructionNamesTokenAndLine) {
  try {
    Machine m(".visible .entry k() {\n  .reg .b32 %r<3>;\n  frobnicate.u32 %r1, %r2;\n  ret;\n}");
    FAIL() << "loaded";
  } catch (const LoadError& error) {
    EXPECT_NE(std::string(error.what()).find("frobnicate.u32"), std::string::npos) << error.what();
    EXPECT_EQ(error.at.line, 6u);
  }
}

TEST(Load, UndefinedFunctionIsNamed) {
  EXPECT_THROW(Machine(".extern .func missing();\n.visible .entry k() {\n  call missing;\n  ret;\n}"),
               LoadError);
}

TEST(Load, LimitsAreCheckedBeforeALaunch) {
  Machine m(".visible .entry k() .maxntid 64, 1, 1 {\n  .shared .align 4 .b8 x[1024];\n  ret;\n}");
  Launch launch;
  launch.function = m.facts().functions.front().id;
  launch.block = {32};
  EXPECT_EQ(m.device().check_launch(launch), "");
  launch.block = {96};
  EXPECT_NE(m.device().check_launch(launch).find("at most 64"), std::string::npos);
  launch.block = {2048};
  EXPECT_NE(m.device().check_launch(launch), "");
  launch.block = {32};
  launch.dynamic_shared_bytes = 100 << 10;
  EXPECT_NE(m.device().check_launch(launch), "");
  EXPECT_TRUE(m.device().set_max_dynamic_shared(launch.function, 100 << 10));
  EXPECT_EQ(m.device().check_launch(launch), "");
  launch.grid = {1, 70000};
  EXPECT_NE(m.device().check_launch(launch), "");
}

}  // namespace
}  // namespace roofline::sim
