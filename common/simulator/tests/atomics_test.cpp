// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>

#include "kernel_fixture.h"

/// atom and red: results, order, what they cost.
namespace roofline::sim {
namespace {

class Atomics : public KernelTest {
 protected:
  template <class T>
  struct Outcome {
    T memory;
    std::vector<T> old;
  };
  /// One warp applies `atom.<space>.<op>.<type> d, [x], operand`; `x` starts as `initial`.
  template <class T>
  Outcome<T> apply(const std::string& op, const std::string& type, const std::string& reg,
                   const std::string& prepare, const std::string& operands, T initial) {
    const u64 x = upload(std::vector<T>{initial}), old = upload(std::vector<T>(32));
    const std::string width = std::to_string(sizeof(T));
    run_well(prepare + "\natom.global." + op + "." + type + " " + reg + ", [%rd1], " + operands +
                 ";\nmul.wide.u32 %rd3, %r1, " + width + ";\nadd.s64 %rd4, %rd2, %rd3;\nst.global.b" +
                 std::to_string(sizeof(T) * 8) + " [%rd4], " + reg + ";",
             x, old);
    return {download<T>(x, 1)[0], download<T>(old, 32)};
  }
};

// Breaks when lanes do not take turns in ascending order, or the old value is not returned.
TEST_F(Atomics, AddReturnsOldValuesInLaneOrder) {
  const auto [memory, old] = apply<u32>("add", "u32", "%r2", "", "%r1", 100);
  EXPECT_EQ(memory, 100u + 31 * 32 / 2);
  u32 expected = 100;
  for (u32 l = 0; l < 32; ++l) {
    EXPECT_EQ(old[l], expected);
    expected += l;
  }
}

// Breaks when an operation has the wrong meaning or signedness.
TEST_F(Atomics, EveryIntegerOperation) {
  EXPECT_EQ(apply<u32>("min", "u32", "%r2", "", "%r1", 5).memory, 0u);
  EXPECT_EQ(apply<s32>("min", "s32", "%r2", "neg.s32 %r3, %r1;", "%r3", 5).memory, -31);
  EXPECT_EQ(apply<u32>("max", "u32", "%r2", "neg.s32 %r3, %r1;", "%r3", 5).memory, ~0u);
  EXPECT_EQ(apply<s32>("max", "s32", "%r2", "", "%r1", -5).memory, 31);
  EXPECT_EQ(apply<u32>("and", "b32", "%r2", "", "0xf0", 0xff).memory, 0xf0u);
  EXPECT_EQ(apply<u32>("or", "b32", "%r2", "", "%r1", 0).memory, 31u);
  EXPECT_EQ(apply<u32>("xor", "b32", "%r2", "", "%r1", 0).memory, 0u);
  EXPECT_EQ(apply<u32>("exch", "b32", "%r2", "", "%r1", 7).memory, 31u);
  EXPECT_EQ(apply<u32>("inc", "u32", "%r2", "", "9", 0).memory, 2u) << "32 steps modulo 10";
  EXPECT_EQ(apply<u32>("dec", "u32", "%r2", "", "9", 0).memory, 8u) << "0 wraps to 9 first";
  EXPECT_EQ(apply<u32>("cas", "b32", "%r2", "add.u32 %r3, %r1, 1;", "%r1, %r3", 0).memory, 32u)
      << "a chain through all lanes";
  EXPECT_EQ(apply<u64>("add", "u64", "%rd5", "mov.u64 %rd6, 4294967296;", "%rd6", 1).memory,
            (u64{32} << 32) + 1);
  EXPECT_EQ(apply<u64>("cas", "b64", "%rd5", "mov.u64 %rd6, 3; mov.u64 %rd7, 9;", "%rd6, %rd7", 3).memory,
            9u);
  EXPECT_EQ(apply<s64>("min", "s64", "%rd5", "mov.u64 %rd6, -3;", "%rd6", 3).memory, -3);
}

// Breaks when floats are added in another order, or global f32 addition keeps subnormals.
TEST_F(Atomics, FloatSumsAreInOrder) {
  const auto [memory, old] =
      apply<f32>("add", "f32", "%f1", "cvt.rn.f32.u32 %f2, %r1; mul.f32 %f3, %f2, 0f3DCCCCCD;", "%f3", 1e7f);
  f32 expected = 1e7f;
  for (u32 l = 0; l < 32; ++l) {
    EXPECT_EQ(old[l], expected);
    expected += static_cast<f32>(l) * 0.1f;
  }
  EXPECT_EQ(memory, expected);
  EXPECT_EQ(apply<f32>("add", "f32", "%f1", "", "0f00000001", 0.0f).memory, 0.0f);
  EXPECT_EQ(apply<f64>("add", "f64", "%fd1", "cvt.rn.f64.u32 %fd2, %r1;", "%fd2", 0.5).memory, 496.5);
}

// Breaks when the elements of a vector reduction are mixed up, or its old values are lost.
TEST_F(Atomics, VectorsOfFloats) {
  const u64 x = upload(std::vector<f32>{1, 2, 3, 4}), old = upload(std::vector<f32>(4));
  run_well(
      "mov.f32 %f0, 0f00000000; atom.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1], {0f3F800000, "
      "0f40000000, 0f40400000, 0f40800000};"
      "setp.eq.u32 %p1, %r1, 1; @%p1 st.global.v4.f32 [%rd2], {%f1, %f2, %f3, %f4}; red.global.add.v2.f32 "
      "[%rd1+8], {%f0, %f0};",
      x, old, 2);
  EXPECT_EQ(download<f32>(x, 4), (std::vector<f32>{3, 6, 9, 12}));
  EXPECT_EQ(download<f32>(old, 4), (std::vector<f32>{2, 4, 6, 8}));
}

// Breaks when nvcc's and libcu++'s places for order and scope are not understood.
TEST_F(Atomics, AcceptsOrdersAndScopesEverywhere) {
  const u64 x = upload(std::vector<u32>(1));
  run_well(
      "atom.global.cta.add.u32 %r2, [%rd1], 1; atom.add.release.gpu.u32 %r2, [%rd1], 1; "
      "atom.cas.acquire.sys.b32 %r2, [%rd1], 2, 7;"
      "atom.acq_rel.gpu.global.add.u32 %r2, [%rd1], 1; red.relaxed.sys.global.add.u32 [%rd1], 1; "
      "atom.global.sys.cas.b32 %r2, [%rd1], 9, 10;",
      x, 0, 1);
  EXPECT_EQ(download<u32>(x, 1)[0], 10u);
}

// Breaks when shared f32 addition flushes subnormals (only global memory does).
TEST_F(Atomics, SharedFloatSumKeepsSubnormals) {
  const u64 out = upload(std::vector<u32>(1));
  run_well(
      "mov.u32 %r2, s; st.shared.u32 [%r2], 0; atom.shared.add.f32 %f1, [%r2], 0f00000001; ld.shared.u32 "
      "%r3, [%r2]; st.global.u32 [%rd1], %r3;",
      out, 0, 1, 1, ".shared .align 4 .b8 s[4];");
  EXPECT_EQ(download<u32>(out, 1)[0], 1u);
}

// Breaks when half additions round wrongly or mix up the two halves.
TEST_F(Atomics, HalfSums) {
  EXPECT_EQ(apply<u16>("add.noftz", "f16", "%rs1", "mov.b16 %rs2, 0x3C00;", "%rs2", 0x6800).memory, 0x6800)
      << "2048 + 1 rounds to even, 32 times";
  EXPECT_EQ(apply<u16>("add.noftz", "bf16", "%rs1", "mov.b16 %rs2, 0x3F80;", "%rs2", 0).memory, 0x4200)
      << "32";
  EXPECT_EQ(apply<u32>("add.noftz", "f16x2", "%r2", "mov.b32 %r3, 0x40003C00;", "%r3", 0).memory, 0x54005000u)
      << "{32, 64}";
}

// Breaks when counts are lost between blocks that run on several host threads.
TEST_F(Atomics, ReductionsFromManyBlocks) {
  const u64 x = upload(std::vector<u32>(4));
  const LaunchResult result = run_well(
      "and.b32 %r2, %r1, 3; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; red.global.add.u32 [%rd4], "
      "1;",
      x, 0, 256, 500);
  for (const u32 n : download<u32>(x, 4)) EXPECT_EQ(n, 256u * 500 / 4);
  EXPECT_EQ(result.counters.atomic_lanes, 256u * 500);
  EXPECT_EQ(result.counters.atomic_requests, 8u * 500);
  EXPECT_EQ(result.counters.atomic_sectors, 8u * 500);
  EXPECT_EQ(result.counters.atomic_same_address_max, 256u * 500 / 4);
}

// Breaks when a ticket counter hands out a number twice.
TEST_F(Atomics, TicketsAreUnique) {
  const u64 counter = upload(std::vector<u32>(1)), seen = upload(std::vector<u32>(64 * 100));
  run_well(
      R"(atom.global.add.u32 %r2, [%rd1], 1; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd2, %rd3; atom.add.u32 %r3, [%rd4], 1;)",
      counter, seen, 64, 100);
  for (const u32 n : download<u32>(seen, 64 * 100)) ASSERT_EQ(n, 1u);
}

// Breaks when float sums over blocks depend on the run.
TEST_F(Atomics, FloatSumsOverBlocksAreReproducible) {
  std::vector<u32> sums;
  for (int i = 0; i < 3; ++i) {
    const u64 x = upload(std::vector<f32>(1));
    run_well(
        "mov.u32 %r2, %ctaid.x; add.u32 %r3, %r2, %r1; cvt.rn.f32.u32 %f1, %r3; rcp.approx.f32 %f2, %f1; "
        "setp.eq.u32 %p1, %r3, 0; @!%p1 red.global.add.f32 [%rd1], %f2;",
        x, 0, 64, 200);
    sums.push_back(download<u32>(x, 1)[0]);
  }
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
  EXPECT_GT(std::bit_cast<f32>(sums[0]), 10.0f);
}

/// Blocks do the less the later they come, so that later ones end first where several host threads run them.
const std::string kLaterBlocksAreShorter =
    "mov.u32 %r2, %ctaid.x; sub.u32 %r3, 200, %r2; $again: sub.u32 %r3, %r3, 1; setp.gt.s32 %p1, %r3, 0; "
    "@%p1 bra $again; ";

// Breaks when sums of blocks that run side by side are added in the order in which the blocks come to them.
TEST_F(Atomics, FloatSumsAreThoseOfLaunchOrder) {
  const u64 x = upload(std::vector<f32>{1e5f, 0, 1e5f, 1e5f});
  run_well(kLaterBlocksAreShorter +
               "cvt.rn.f32.u32 %f1, %r2; mul.f32 %f2, %f1, 0f3DCCCCCD; red.global.add.f32 [%rd1], %f2; "
               "red.global.add.v2.f32 [%rd1+8], {%f2, %f1};",
           x, 0, 1, 200);
  f32 tenths = 1e5f, whole = 1e5f;
  for (u32 b = 0; b < 200; ++b) {
    tenths += static_cast<f32>(b) * 0.1f;
    whole += static_cast<f32>(b);
  }
  EXPECT_EQ(download<f32>(x, 4), (std::vector<f32>{tenths, 0, tenths, whole}));
}

// Breaks when what a block adds is not there when it reads it, or earlier blocks' sums are not there before.
TEST_F(Atomics, BlocksReadWhatTheyAdded) {
  const u64 x = upload(std::vector<f32>(2)), out = upload(std::vector<f32>(2 * 200));
  run_well(kLaterBlocksAreShorter +
               "red.global.add.f32 [%rd1], 0f3F800000; ld.global.f32 %f1, [%rd1]; mul.wide.u32 %rd3, %r2, 8; "
               "add.s64 %rd4, %rd2, %rd3; st.global.f32 [%rd4], %f1; atom.global.add.f32 %f2, [%rd4+4], "
               "0f40000000; st.global.f32 [%rd4+4], %f1; red.global.add.f32 [%rd4+4], 0f3F800000;",
           x, out, 1, 200);
  const std::vector<f32> read = download<f32>(out, 2 * 200);
  for (u32 b = 0; b < 200; ++b) {
    ASSERT_EQ(read[2 * b], static_cast<f32>(b + 1));
    ASSERT_EQ(read[2 * b + 1], static_cast<f32>(b + 2)) << "added, overwritten, and added to again";
  }
}

// Breaks when the last of many exchanges is that of the block that ended last, and not of the last block; or
// when more sums than a share may leave are lost.
TEST_F(Atomics, OtherOrderedAtomicsAreThoseOfLaunchOrder) {
  const u64 x = upload(std::vector<u32>{0, 0, 0});
  run_well(kLaterBlocksAreShorter + "atom.global.exch.b32 %r4, [%rd1], %r2; red.global.inc.u32 [%rd1+4], 6;",
           x, 0, 1, 200);
  EXPECT_EQ(download<u32>(x, 2), (std::vector<u32>{199, 200 % 7}));
  run_well(
      "mov.u32 %r2, 0; $again: add.u32 %r2, %r2, 1; red.global.add.f32 [%rd1+8], 0f3F800000; "
      "setp.lt.u32 %p1, %r2, 100; @%p1 bra $again;",
      x, 0, 256, 20);
  EXPECT_EQ(download<f32>(x, 3)[2], 100.0f * 256 * 20);
}

// Breaks when blocks start in their order where another was asked for: then a sum whose bits depend on
// the order of blocks shows it.
TEST_F(Atomics, FloatSumsDependOnTheOrderOfBlocks) {
  u32 sums[2];
  for (const bool shuffled : {false, true}) {
    device_.set_shuffle_blocks(shuffled);
    const u64 x = upload(std::vector<f32>(1));
    run_well(
        "mov.u32 %r2, %ctaid.x; add.u32 %r2, %r2, 1; cvt.rn.f32.u32 %f1, %r2; rcp.approx.f32 %f2, %f1; "
        "red.global.add.f32 [%rd1], %f2;",
        x, 0, 1, 200);
    sums[shuffled ? 1 : 0] = download<u32>(x, 1)[0];
  }
  EXPECT_NE(sums[0], sums[1]);
  EXPECT_NEAR(std::bit_cast<f32>(sums[0]), std::bit_cast<f32>(sums[1]), 1e-4);
}

// Breaks when blocks in a mixed order take long turns: then each has ended before the next one begins, and
// code that waits for other blocks never has to.
TEST_F(Atomics, BlocksInAMixedOrderRunSideBySide) {
  u32 fewest_that_had_begun[2];
  for (const bool shuffled : {false, true}) {
    device_.set_shuffle_blocks(shuffled);
    const u64 x = upload(std::vector<u32>{0, ~0U});
    run_well(
        "atom.global.add.u32 %r2, [%rd1], 1; mov.u32 %r3, 0; $again: add.u32 %r3, %r3, 1; "
        "setp.lt.u32 %p1, %r3, 1000; @%p1 bra $again; ld.volatile.global.u32 %r4, [%rd1]; "
        "red.global.min.u32 [%rd1+4], %r4;",
        x, 0, 1, 50);
    fewest_that_had_begun[shuffled ? 1 : 0] = download<u32>(x, 2)[1];
  }
  EXPECT_EQ(fewest_that_had_begun[0], 1U);
  EXPECT_EQ(fewest_that_had_begun[1], 50U);
}

// Breaks when what an SM does in its own memory is charged to L2.
TEST_F(Atomics, SharedAtomicsNeedNoL2) {
  const LaunchResult result =
      run_well("mov.u32 %r2, s; red.shared.add.u32 [%r2], 1;", 0, 0, 32, 1, ".shared .align 4 .b8 s[4096];");
  EXPECT_EQ(result.counters.atomic_lanes, 0u);
}

// Breaks when shared atomics do not cost a pass for every lane that meets on one word.
TEST_F(Atomics, SharedAtomicsSerialise) {
  const std::string outside = ".shared .align 4 .b8 s[4096];";
  EXPECT_EQ(
      run_well("mov.u32 %r2, s; shr.u32 %r3, %r1, 5; add.u32 %r2, %r2, %r3; red.shared.add.u32 [%r2], 2;", 0,
               0, 32, 1, outside)
          .counters.shared_wavefronts,
      32u);
  EXPECT_EQ(
      run_well("mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r2, %r2, %r3; red.shared.add.u32 [%r2], 1;", 0,
               0, 32, 1, outside)
          .counters.shared_wavefronts,
      1u);
}

// Breaks when atomics are not checked like other accesses.
TEST_F(Atomics, AreChecked) {
  const LaunchResult result = run("atom.global.add.u32 %r2, [%rd1], 1;", 0);
  ASSERT_TRUE(result.trap);
  EXPECT_NE(result.trap->message.find("4-byte atomic operation on 0x0: a null pointer"), std::string::npos)
      << result.trap->message;
}

}  // namespace
}  // namespace roofline::sim
