// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <filesystem>
#include <numeric>
#include <thread>

#include "simulator/machine/thread_pool.h"
#include "simulator/ptx/load_error.h"
#include "simulator/tests/machine_fixture.h"

/// Whole launches: results, counters, determinism, loading and its errors.
namespace roofline::sim {
namespace {

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

/// Each block prints its number; blocks run on several threads, the text comes in block order and is cut
/// where the device's buffer is full.
TEST(Determinism, OutputComesInBlockOrder) {
  Machine m(R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.global .align 1 .b8 format[4] = {37, 117, 32, 0};
.visible .entry k() {
  .local .align 8 .b8 depot[8];
  .reg .b32 %r<4>; .reg .b64 %rd<4>;
  .param .b64 p0; .param .b64 p1; .param .b32 q;
  mov.u32 %r1, %ctaid.x;
  st.local.u32 [depot], %r1;
  mov.u64 %rd1, format;
  mov.u64 %rd2, depot;
  cvta.local.u64 %rd3, %rd2;
  st.param.b64 [p0], %rd1;
  st.param.b64 [p1], %rd3;
  call.uni (q), vprintf, (p0, p1);
  ret;
})",
            4);
  std::string expected;
  for (u32 b = 0; b < 300; ++b) expected += std::to_string(b) + " ";
  EXPECT_EQ(m.launch("k", {300}, {1}).output, expected);
  const std::string all = m.launch("k", {20000}, {32}).output;
  EXPECT_GT(all.size(), std::size_t{1} << 20);
  EXPECT_LT(all.size(), (std::size_t{1} << 20) + 100);
  EXPECT_EQ(all.substr(0, 6), "0 0 0 ");
  EXPECT_NE(all.find("lost"), std::string::npos);
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

// ---- loading ----

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

// Breaks when a launch is refused, or nothing is said to fit, because of registers that are only estimated.
TEST(Load, AnEstimateOfRegistersRefusesNoLaunch) {
  std::string loads, sums;
  for (int i = 1; i <= 140; ++i) {
    const std::string r = "%r" + std::to_string(i);
    loads += "  ld.volatile.global.u32 " + r + ", [%rd1+" + std::to_string(4 * i) + "];\n";
    sums += "  st.global.u32 [%rd1+" + std::to_string(4 * i) + "], " + r + ";\n";
  }
  const std::string ptx = std::string(kHeader) +
                          ".visible .entry k(.param .u64 p) {\n  .reg .b32 %r<150>;\n  .reg .b64 %rd<2>;\n"
                          "  ld.param.u64 %rd1, [p];\n" +
                          loads + sums + "  ret;\n}";
  const auto load = [&](Device& device, const std::vector<ElfKernel>& elf) {
    return device.load_module(ptx, elf).functions.front();
  };
  const auto device = [] {
    return std::make_unique<Device>(load_device(std::string(SIMULATOR_SOURCE) + "/devices", "a100-sxm4-40gb"),
                                    1);
  };
  Launch launch;
  launch.block = {1024};
  launch.parameters.resize(8);
  {
    const auto estimating = device();
    const FunctionFacts k = load(*estimating, {});
    ASSERT_TRUE(k.resources.registers_estimated);
    ASSERT_GT(k.resources.registers, 64u);  // with so many a block of 1024 threads could not run
    launch.function = k.id;
    EXPECT_EQ(estimating->check_launch(launch), "");
    EXPECT_EQ(estimating->occupancy_of(k.id, {1024}, 0).blocks_per_sm, 1u);
  }
  ElfKernel facts;
  facts.name = "k";
  facts.registers = 144;
  {
    const auto knowing = device();
    launch.function = load(*knowing, {facts}).id;
    EXPECT_NE(knowing->check_launch(launch), "");
  }
  facts.registers = 15;
  facts.is_of_other_device = true;  // a better guess than the estimate
  const auto guessing = device();
  const FunctionFacts k = load(*guessing, {facts});
  EXPECT_TRUE(k.resources.registers_estimated);
  EXPECT_EQ(k.resources.registers, 15u);
}

// Breaks when no number of threads is one thread, as it was for long: programs and grades ran on one core.
TEST(ThreadPool, NoNumberIsAllCores) {
  const bool limited = std::filesystem::exists("/sys/fs/cgroup/cpu.max");
  const unsigned cores = std::thread::hardware_concurrency();
  EXPECT_LE(ThreadPool(0).most(), cores);
  if (!limited) {
    EXPECT_EQ(ThreadPool(0).most(), cores);
  }
  EXPECT_EQ(ThreadPool(5).most(), 5U);
}

// Breaks when a call is left out or made twice, in the first round, which starts the threads, or in a later
// one.
TEST(ThreadPool, MakesEachCallOnce) {
  ThreadPool pool(5);
  for (const unsigned workers : {5U, 2U, 4U, 5U}) {
    std::atomic<unsigned> calls[5] = {};
    for (int round = 0; round < 200; ++round) pool.run(workers, [&](unsigned i) { ++calls[i]; });
    for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(calls[i], i < workers ? 200U : 0U) << i << " of " << workers;
  }
}

}  // namespace
}  // namespace roofline::sim
