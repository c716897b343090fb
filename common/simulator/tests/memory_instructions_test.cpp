// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "kernel_fixture.h"

/// What ld, st, cvta, isspacep and cp.async move, in every space and type.
namespace roofline::sim {
namespace {

class MemoryInstructions : public KernelTest {};

template <class T>
std::vector<T> sequence(std::size_t n, T first = T{1}) {
  std::vector<T> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

// Breaks when a load or store moves the wrong number of bytes, or to the wrong lane.
TEST_F(MemoryInstructions, CopiesEveryWidth) {
  const std::vector<u8> bytes = sequence<u8>(32 * 8);
  struct Case {
    const char* type;
    const char* reg;
    u32 width;
  };
  for (const Case& c :
       {Case{"b8", "%rs1", 1}, Case{"u16", "%rs1", 2}, Case{"b16", "%rs1", 2}, Case{"u32", "%r2", 4},
        Case{"f32", "%f1", 4}, Case{"b64", "%rd5", 8}, Case{"s64", "%rd5", 8}, Case{"f64", "%fd1", 8}}) {
    const u64 from = upload(bytes), to = upload(std::vector<u8>(32 * 8, 0xee));
    run_well("mul.wide.u32 %rd3, %r1, " + std::to_string(c.width) + ";\nadd.s64 %rd4, %rd1, %rd3;\n" +
                 "add.s64 %rd6, %rd2, %rd3;\nld.global." + c.type + " " + c.reg + ", [%rd4];\nst.global." +
                 c.type + " [%rd6], " + c.reg + ";",
             from, to);
    std::vector<u8> expected(32 * 8, 0xee);
    std::copy_n(bytes.begin(), 32 * c.width, expected.begin());
    EXPECT_EQ(download<u8>(to, 32 * 8), expected) << c.type;
  }
}

// Breaks when a narrow load does not extend by its type into a wide register.
TEST_F(MemoryInstructions, ExtendsNarrowLoads) {
  const u64 from = upload(std::vector<u8>(32, 0x90)), to = upload(std::vector<u32>(64));
  run_well(
      R"(cvt.u64.u32 %rd3, %r1; add.s64 %rd4, %rd1, %rd3; mul.wide.u32 %rd5, %r1, 8; add.s64 %rd6, %rd2, %rd5;
              ld.global.s8 %r2, [%rd4]; ld.global.u8 %r3, [%rd4]; st.global.u32 [%rd6], %r2; st.global.u32 [%rd6+4], %r3;)",
      from, to);
  const std::vector<u32> got = download<u32>(to, 64);
  for (std::size_t l = 0; l < 32; ++l) {
    EXPECT_EQ(got[2 * l], 0xffff'ff90u);
    EXPECT_EQ(got[2 * l + 1], 0x90u);
  }
}

// Breaks when a store of a wide register writes more than its type.
TEST_F(MemoryInstructions, NarrowStoresWriteTheirBytesOnly) {
  const u64 to = upload(std::vector<u8>(64, 0xee));
  run_well(
      R"(mul.wide.u32 %rd3, %r1, 2; add.s64 %rd4, %rd1, %rd3; mov.u32 %r2, 305419896; st.global.u8 [%rd4], %r2;)",
      to);
  const std::vector<u8> got = download<u8>(to, 64);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(got[i], i % 2 == 0 ? 0x78 : 0xee);
}

// Breaks when vector elements are mixed up between registers or lanes.
TEST_F(MemoryInstructions, MovesVectors) {
  const std::vector<f32> values = sequence<f32>(128);
  const u64 from = upload(values), to = upload(std::vector<f32>(128));
  run_well(R"(mul.wide.u32 %rd3, %r1, 16; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
              ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4]; st.global.v4.f32 [%rd5], {%f4, %f3, %f2, %f1};)",
           from, to);
  const std::vector<f32> got = download<f32>(to, 128);
  for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(got[i], values[i / 4 * 4 + 3 - i % 4]);

  const std::vector<u64> longs = sequence<u64>(64);
  const u64 from2 = upload(longs), to2 = upload(std::vector<u64>(64));
  run_well(R"(mul.wide.u32 %rd3, %r1, 16; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
              ld.global.nc.L1::no_allocate.L2::256B.v2.u64 {%rd6, %rd7}, [%rd4]; st.global.cs.v2.u64 [%rd5], {%rd6, %rd7};)",
           from2, to2);
  EXPECT_EQ(download<u64>(to2, 64), longs);
}

// Breaks when inactive lanes are written or read: they hold addresses that must not fault.
TEST_F(MemoryInstructions, LeavesInactiveLanesAlone) {
  const u64 from = upload(sequence<u32>(32)), to = upload(std::vector<u32>(32, 7));
  run_well(
      R"(and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd2, %rd3;
              mov.u64 %rd5, 0; @%p1 add.s64 %rd5, %rd1, %rd3; @%p1 ld.global.u32 %r3, [%rd5]; @%p1 st.global.u32 [%rd4], %r3;)",
      from, to);
  const std::vector<u32> got = download<u32>(to, 32);
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(got[l], l % 2 == 1 ? l + 1 : 7u);
}

// Breaks when the fast paths for rows of a 2D block mix up lanes: rows of 16 threads, columns of 16 threads,
// and one word for a whole row, each as a load and as a store, in global and shared memory.
TEST_F(MemoryInstructions, MovesRowsAndColumnsOfTiles) {
  const std::vector<u32> values = sequence<u32>(1024);
  const u64 from = upload(values), to = upload(std::vector<u32>(96));
  run_well(
      R"(shr.u32 %r2, %r1, 4; and.b32 %r3, %r1, 15; mad.lo.s32 %r4, %r2, 64, %r3; mad.lo.s32 %r5, %r3, 32, %r2; mul.lo.s32 %r6, %r2, 7;
              mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd1, %rd3; ld.global.u32 %r10, [%rd3];
              mul.wide.u32 %rd4, %r5, 4; add.s64 %rd4, %rd1, %rd4; ld.global.u32 %r11, [%rd4];
              mul.wide.u32 %rd5, %r6, 4; add.s64 %rd5, %rd1, %rd5; ld.global.u32 %r12, [%rd5];
              mov.u32 %r7, s; shl.b32 %r8, %r4, 2; add.u32 %r8, %r7, %r8; shl.b32 %r9, %r5, 2; add.u32 %r9, %r7, %r9;
              st.shared.u32 [%r8], %r10; ld.shared.u32 %r13, [%r8]; st.shared.u32 [%r9], %r11; ld.shared.u32 %r14, [%r9];
              shl.b32 %r15, %r6, 2; add.u32 %r15, %r7, %r15; st.shared.u32 [%r15], %r2; ld.shared.u32 %r16, [%r15]; add.u32 %r12, %r12, %r16;
              mul.wide.u32 %rd6, %r1, 4; add.s64 %rd6, %rd2, %rd6; st.global.u32 [%rd6], %r13; st.global.u32 [%rd6+128], %r14;
              st.global.u32 [%rd6+256], %r12;)",
      from, to, 32, 1, ".shared .align 4 .b8 s[4096];");
  const std::vector<u32> got = download<u32>(to, 96);
  for (u32 l = 0; l < 32; ++l) {
    const u32 row = l / 16, column = l % 16;
    EXPECT_EQ(got[l], values[row * 64 + column]) << l;
    EXPECT_EQ(got[32 + l], values[column * 32 + row]) << l;
    EXPECT_EQ(got[64 + l], values[row * 7] + row) << l;
  }
}

// Breaks when shared memory is not shared by the block, or its addresses are off.
TEST_F(MemoryInstructions, SharedMemoryExchanges) {
  const u64 to = upload(std::vector<u32>(64));
  run_well(
      R"(mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.u32 [%r4+16], %r1; bar.sync 0;
              sub.u32 %r5, 63, %r1; shl.b32 %r6, %r5, 2; add.u32 %r7, %r2, %r6; ld.shared.u32 %r8, [%r7+16];
              mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r8;)",
      to, 0, 64, 1, ".shared .align 4 .b8 s[272];");
  const std::vector<u32> got = download<u32>(to, 64);
  for (u32 t = 0; t < 64; ++t) EXPECT_EQ(got[t], 63 - t);
}

// Breaks when constant memory is not initialised or not readable.
TEST_F(MemoryInstructions, ReadsConstants) {
  const u64 to = upload(std::vector<u32>(32));
  run_well(
      R"(and.b32 %r2, %r1, 3; mul.wide.u32 %rd3, %r2, 4; mov.u64 %rd4, c; add.s64 %rd5, %rd4, %rd3; ld.const.u32 %r3, [%rd5];
              ld.const.u32 %r4, [c+8]; add.u32 %r3, %r3, %r4;
              mul.wide.u32 %rd6, %r1, 4; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], %r3;)",
      to, 0, 32, 1, ".const .align 4 .u32 c[4] = {10, 20, 30, 40};");
  const std::vector<u32> got = download<u32>(to, 32);
  for (u32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], 10 * (t % 4 + 1) + 30);
}

// A constant at a fixed address is an operand on hardware; one whose address is computed is a request. Breaks
// when filters with constant weights wait for the memory pipe.
TEST_F(MemoryInstructions, ConstantsAtFixedAddressesAreOperands) {
  const std::string constants = ".const .align 4 .u32 c[4] = {10, 20, 30, 40};";
  const u64 to = upload(std::vector<u32>(32));
  const auto requests = [&](const std::string& loads) {
    const auto result = run_well(loads + "st.global.u32 [%rd2], %r3;", to, to, 32, 1, constants);
    return result.counters.pipe_warps[static_cast<std::size_t>(Pipe::kMemory)];
  };
  const u64 fixed = requests("ld.const.u32 %r3, [c+8]; ld.const.u32 %r4, [c]; add.u32 %r3, %r3, %r4;");
  EXPECT_EQ(fixed, requests("mov.u32 %r3, 1;"));
  EXPECT_EQ(requests("mov.u64 %rd4, c; ld.const.u32 %r3, [%rd4+8];"), fixed + 1);
}

// Breaks when a module variable is not found by its name, or is not zero at first.
TEST_F(MemoryInstructions, ReachesModuleVariables) {
  const u64 to = upload(std::vector<u32>(1));
  run_well(
      "ld.global.u32 %r2, [g+4]; add.u32 %r2, %r2, 5; st.global.u32 [g+4], %r2; st.global.u32 [%rd1], %r2;",
      to, 0, 1, 1, ".global .align 4 .u32 g[2];");
  EXPECT_EQ(download<u32>(to, 1)[0], 5u);
}

// Breaks when threads share local memory, or a local address depends on the lane.
TEST_F(MemoryInstructions, LocalMemoryIsPrivate) {
  const u64 to = upload(std::vector<u32>(96));
  run_well(R"({ .local .align 8 .b8 stack[16]; .reg .b64 %sp<4>;
              mov.u64 %sp1, stack; st.local.u32 [%sp1+8], %r1; and.b32 %r2, %r1, 1; mul.wide.u32 %rd3, %r2, 4;
              add.s64 %sp2, %sp1, %rd3; st.local.u32 [%sp2], 77; ld.local.u32 %r3, [%sp1+8]; ld.local.u32 %r4, [%sp1+4];
              mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; @!%p1 st.global.u32 [%rd5], %r3; })",
           to, 0, 96);
  EXPECT_EQ(download<u32>(to, 96), sequence<u32>(96, 0));
}

// Breaks when generic addresses are not told apart, even when one warp mixes spaces.
TEST_F(MemoryInstructions, GenericAddressesMixSpaces) {
  const u64 from = upload(std::vector<u32>(32, 1)), to = upload(std::vector<u32>(32));
  run_well(R"({ .local .align 4 .b8 stack[4]; .reg .b64 %q<8>;
              mov.u64 %q1, stack; st.local.u32 [%q1], 2; cvta.local.u64 %q2, %q1;
              mov.u64 %q3, s; st.shared.u32 [%q3], 3; cvta.shared.u64 %q4, %q3;
              mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
              rem.u32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 1; setp.eq.u32 %p2, %r2, 2;
              selp.b64 %rd6, %q2, %rd4, %p1; selp.b64 %rd6, %q4, %rd6, %p2;
              ld.u32 %r3, [%rd6]; add.u32 %r3, %r3, 10; st.u32 [%rd6], %r3; ld.u32 %r4, [%rd6]; st.global.u32 [%rd5], %r4; })",
           from, to, 32, 1, ".shared .align 4 .b8 s[4];");
  const std::vector<u32> got = download<u32>(to, 32);
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(got[l], 11 + l % 3) << l;
}

// Breaks when cvta and isspacep disagree with each other.
TEST_F(MemoryInstructions, ConvertsAndClassifiesAddresses) {
  const u64 to = upload(std::vector<u32>(4));
  run_well(R"(mov.u64 %rd3, s; cvta.shared.u64 %rd4, %rd3; cvta.to.shared.u64 %rd5, %rd4;
              isspacep.shared %p1, %rd4; isspacep.global %p2, %rd4; isspacep.global %p3, %rd1;
              selp.u32 %r2, 1, 0, %p1; selp.u32 %r3, 1, 0, %p2; selp.u32 %r4, 1, 0, %p3;
              setp.eq.u64 %p4, %rd3, %rd5; selp.u32 %r5, 1, 0, %p4;
              st.global.v4.u32 [%rd1], {%r2, %r3, %r4, %r5};)",
           to, 0, 1, 1, ".shared .align 4 .b8 s[8];");
  EXPECT_EQ(download<u32>(to, 4), (std::vector<u32>{1, 0, 1, 1}));
}

// Breaks when a parameter cannot be read at an address computed at run time (structs passed by value).
TEST_F(MemoryInstructions, ReadsParametersThroughARegister) {
  const u64 to = upload(std::vector<u64>(2));
  run_well(
      R"(mov.b64 %rd3, p0; mul.wide.u32 %rd4, %r1, 8; add.s64 %rd5, %rd3, %rd4; ld.param.u64 %rd6, [%rd5];
              add.s64 %rd7, %rd1, %rd4; st.global.u64 [%rd7], %rd6;)",
      to, 4242, 2);
  EXPECT_EQ(download<u64>(to, 2), (std::vector<u64>{to, 4242}));
}

// Breaks when cp.async copies too much, ignores its source size, or leaves stale bytes behind.
TEST_F(MemoryInstructions, CopiesAsynchronously) {
  const u64 from = upload(sequence<u32>(128)), to = upload(std::vector<u32>(128, 9));
  run_well(
      R"(mul.wide.u32 %rd3, %r1, 16; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3; mov.u32 %r2, s; shl.b32 %r3, %r1, 4;
              add.u32 %r4, %r2, %r3; and.b32 %r5, %r1, 1; shl.b32 %r6, %r5, 3; sub.u32 %r7, 16, %r6;
              cp.async.cg.shared.global [%r4], [%rd4], 16, %r7; cp.async.commit_group; cp.async.wait_group 0; bar.sync 0;
              ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r4]; st.global.v4.u32 [%rd5], {%r8, %r9, %r10, %r11};)",
      from, to, 32, 1, ".shared .align 16 .b8 s[512];");
  const std::vector<u32> got = download<u32>(to, 128);
  for (u32 i = 0; i < 128; ++i) EXPECT_EQ(got[i], i / 4 % 2 == 1 && i % 4 >= 2 ? 0 : i + 1) << i;
}

// Breaks when bytes reach shared memory that nobody has fetched: copies of a part read as any other load
// does.
TEST_F(MemoryInstructions, AsynchronousCopiesOfAPartAreCounted) {
  const u64 from = upload(sequence<u32>(4096));
  const auto sectors = [&](const std::string& size) {
    return run_well(
               "mul.wide.u32 %rd3, %r1, 128; add.s64 %rd4, %rd1, %rd3; mov.u32 %r2, s; shl.b32 %r3, %r1, 4;"
               "add.u32 %r4, %r2, %r3; cp.async.ca.shared.global [%r4], [%rd4], 16, " +
                   size + "; cp.async.wait_all;",
               from, 0, 32, 1, ".shared .align 16 .b8 s[512];")
        .counters.l2_read_sectors;
  };
  EXPECT_EQ(sectors("16"), 32u);
  EXPECT_EQ(sectors("12"), 32u);
  EXPECT_EQ(sectors("1"), 32u);
  EXPECT_EQ(sectors("0"), 0u);
}

// Breaks when a source that is not read (size 0) is checked all the same: edge tiles point past their array.
TEST_F(MemoryInstructions, AsynchronousCopyOfNothingReadsNothing) {
  const u64 to = upload(std::vector<u32>(1, 9));
  run_well(
      R"(mov.u64 %rd3, 0; mov.u32 %r2, s; st.shared.u32 [%r2], 5; cp.async.ca.shared.global [%r2], [%rd3], 4, 0;
              cp.async.wait_all; ld.shared.u32 %r3, [%r2]; st.global.u32 [%rd1], %r3;)",
      to, 0, 1, 1, ".shared .align 16 .b8 s[16];");
  EXPECT_EQ(download<u32>(to, 1)[0], 0u);
}

// Breaks when hints and fences that nvcc and libraries emit are unknown.
TEST_F(MemoryInstructions, AcceptsHintsAndFences) {
  const u64 to = upload(std::vector<u32>(32, 3));
  run_well(
      R"(prefetch.global.L2 [%rd1]; prefetch.global.L1 [%rd1]; prefetchu.L1 [%rd1]; membar.gl; membar.cta; membar.sys;
              fence.acq_rel.gpu; fence.sc.sys; fence.proxy.async; discard.global.L2 [%rd1], 128;
              createpolicy.fractional.L2::evict_last.b64 %rd3, 1.0; ld.global.L2::cache_hint.u32 %r2, [%rd1], %rd3;
              ld.volatile.global.u32 %r2, [%rd1]; ld.relaxed.gpu.global.u32 %r3, [%rd1]; ld.acquire.sys.u32 %r4, [%rd1];
              st.release.gpu.global.u32 [%rd1], %r4; ldu.global.u32 %r5, [%rd1]; ld.global.cg.u32 %r6, [%rd1];)",
      to, 0, 1);
}

}  // namespace
}  // namespace roofline::sim
