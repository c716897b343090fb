// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/kernel_fixture.h"

/// What a kernel reads that it never wrote: not 0, and the same in every block, on every number of host
/// threads.
namespace roofline::sim {
namespace {

constexpr u32 kAllOnes = ~0u;
constexpr u32 kBlocks = 64;

class Unwritten : public KernelTest {
 protected:
  /// Each thread of many blocks stores what `body` leaves in %r9, and must find `expected` there. `body`
  /// should write what it read, for the next block to find.
  void expect_in_all_blocks(const std::string& body, u32 expected, const std::string& outside = "") {
    const u64 out = upload(std::vector<u32>(kBlocks * 32, 7));
    run_well(body +
                 "mov.u32 %r10, %ctaid.x;\nmad.lo.u32 %r11, %r10, 32, %r1;\nmul.wide.u32 %rd20, %r11, 4;\n"
                 "add.s64 %rd21, %rd1, %rd20;\nst.global.u32 [%rd21], %r9;\n",
             out, 0, 32, kBlocks, outside);
    EXPECT_EQ(download<u32>(out, kBlocks * 32), std::vector<u32>(kBlocks * 32, expected));
  }
};

TEST_F(Unwritten, RegistersOfEveryWidth) {
  expect_in_all_blocks("mov.b32 %r9, %r20;\nadd.u32 %r9, %r9, 0;\nadd.u32 %r20, %r1, 5;\n", kAllOnes);
  expect_in_all_blocks("cvt.s32.s16 %r9, %rs3;\ncvt.u16.u32 %rs3, %r1;\n", kAllOnes);
  expect_in_all_blocks("shr.u64 %rd9, %rd8, 32;\ncvt.u32.u64 %r9, %rd9;\nadd.u64 %rd8, %rd1, 5;\n", kAllOnes);
}

/// A sum that nobody set to 0 first.
TEST_F(Unwritten, AFloatIsNotANumber) {
  expect_in_all_blocks(
      "add.f32 %f1, %f1, 0f3F800000;\ntestp.notanumber.f32 %p1, %f1;\nselp.u32 %r9, 1, 0, %p1;\n", 1);
  expect_in_all_blocks(
      "add.f64 %fd1, %fd1, 0d3FF0000000000000;\ntestp.notanumber.f64 %p1, %fd1;\nselp.u32 %r9, 1, 0, %p1;\n",
      1);
  expect_in_all_blocks("setp.nan.f16 %p1, %rs1, %rs1;\nselp.u32 %r9, 1, 0, %p1;\n", 1);
}

/// Written in one branch only, read behind it.
TEST_F(Unwritten, TheLanesThatSkippedTheWrite) {
  const u64 out = upload(std::vector<u32>(32));
  run_well("setp.lt.u32 %p1, %r1, 16;\n@%p1 mov.u32 %r9, 3;\n" + store("%r9"), out);
  std::vector<u32> expected(32, kAllOnes);
  std::fill_n(expected.begin(), 16, 3u);
  EXPECT_EQ(download<u32>(out, 32), expected);
}

/// A predicate has no pattern that shows: it is false.
TEST_F(Unwritten, APredicateIsFalse) {
  expect_in_all_blocks("selp.u32 %r9, 1, 0, %p5;\nsetp.ne.u32 %p5, %r9, 77;\n", 0);
}

/// Lanes that do not take part in a shuffle give nothing.
TEST_F(Unwritten, ShuffleFromLanesThatAreElsewhere) {
  const u64 out = upload(std::vector<u32>(32, 7));
  run_well(
      "add.u32 %r9, %r1, 5;\nsetp.ge.u32 %p1, %r1, 16;\n@%p1 bra $OUT;\n"
      "shfl.sync.down.b32 %r10, %r9, 8, 31, 0xffff;\n" +
          store("%r10") + "$OUT:\n",
      out);
  std::vector<u32> expected(32, 7);
  for (u32 lane = 0; lane < 16; ++lane) expected[lane] = lane < 8 ? lane + 13 : kAllOnes;
  EXPECT_EQ(download<u32>(out, 32), expected);
}

TEST_F(Unwritten, LocalMemoryOfAKernel) {
  expect_in_all_blocks(
      ".local .align 4 .b8 here[8];\nmov.u64 %rd9, here;\nld.local.u32 %r9, [%rd9+4];\nst.local.u32 "
      "[%rd9+4], 5;\n",
      kAllOnes);
}

TEST_F(Unwritten, LocalMemoryOfAFunction) {
  expect_in_all_blocks(
      "{\n.param .b32 r;\ncall (r), f;\ncall (r), f;\nld.param.b32 %r9, [r];\n}\n", kAllOnes,
      ".func (.param .b32 r) f()\n{\n.local .align 4 .b8 here[8];\n.reg .b32 %r<4>;\n.reg .b64 "
      "%rd<4>;\nmov.u64 %rd1, here;\nld.local.u32 %r1, [%rd1+4];\nst.local.u32 [%rd1+4], "
      "5;\nst.param.b32 [r], %r1;\nret;\n}\n");
}

TEST_F(Unwritten, StackOfAlloca) {
  expect_in_all_blocks(
      "mov.u64 %rd8, 16;\nalloca.u64 %rd9, %rd8;\nld.local.u32 %r9, [%rd9+12];\nst.local.u32 [%rd9+12], 5;\n",
      kAllOnes);
}

}  // namespace
}  // namespace roofline::sim
