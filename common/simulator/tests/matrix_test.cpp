// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>

#include "simulator/isa/half_math.h"
#include "simulator/tests/kernel_fixture.h"

/// Matrix instructions: results, counts, traps. The programs wmma_*.cu, mma_*.cu and ldmatrix.cu test them
/// through nvcc.
namespace roofline::sim {
namespace {

u16 half_of(f32 value) { return isa::nearest_half_bits(value); }
f32 value_of(u16 bits) { return isa::widen(isa::Half{bits}); }

const std::string kShared = ".shared .align 128 .b8 s[32768];";

class Matrix : public KernelTest {
 protected:
  std::vector<u16> random_halves(std::size_t n) {
    std::uniform_real_distribution<f32> values(-4, 4);
    std::vector<u16> halves(n);
    for (u16& h : halves) h = half_of(values(engine_));
    return halves;
  }

  /// Shared wavefronts of one ldmatrix.x4 whose 16 rows are `stride` halves apart.
  u64 wavefronts(u32 stride) {
    const LaunchResult result = run_well(
        "and.b32 %r2, %r1, 15; shr.u32 %r3, %r1, 4; mul.lo.u32 %r2, %r2, " + std::to_string(2 * stride) +
            "; shl.b32 %r3, %r3, 4; mov.u32 %r4, s; add.u32 %r4, %r4, %r2; add.u32 %r4, %r4, %r3;"
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r4];",
        0, 0, 32, 1, kShared);
    EXPECT_EQ(result.counters.ideal_shared_wavefronts, 4u);
    return result.counters.shared_wavefronts;
  }

  std::mt19937 engine_{1};
};

// Breaks when a row of 16 bytes does not take the banks that it takes on hardware.
TEST_F(Matrix, PaddingKeepsRowsInDifferentBanks) {
  EXPECT_EQ(wavefronts(128), 32u);      // 8-way
  EXPECT_EQ(wavefronts(64), 32u);       // 8-way
  EXPECT_EQ(wavefronts(32), 16u);       // 4-way
  EXPECT_EQ(wavefronts(64 + 8), 4u);    // none
  EXPECT_EQ(wavefronts(128 + 8), 4u);   // none
  EXPECT_EQ(wavefronts(64 + 16), 8u);   // 2-way
  EXPECT_EQ(wavefronts(128 + 16), 8u);  // 2-way
}

// Breaks when a wmma load moves other sectors than the four requests that the hardware makes of it.
TEST_F(Matrix, LoadsFromGlobalMemoryAreCountedInSectors) {
  const u64 from = upload(std::vector<u16>(16 * 64, half_of(1)));
  const LaunchResult result = run_well(
      "mov.u32 %r2, 64; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
      "{%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10}, [%rd1], "
      "%r2;",
      from);
  EXPECT_EQ(result.counters.global_load_requests, 4u);
  EXPECT_EQ(result.counters.global_load_sectors, 32u);  // 8 rows of 16 bytes each
  EXPECT_EQ(result.counters.ideal_sectors, 16u);
  EXPECT_EQ(result.counters.global_load_bytes, 512u);
}

// Breaks when the operations of a shape are counted wrong or as another type's.
TEST_F(Matrix, CountsOperationsByType) {
  const LaunchResult result = run_well(
      "mov.b32 %r2, 0; mov.f32 %f1, 0f00000000;"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r2,%r2,%r2,%r2}, {%r2,%r2}, "
      "{%f1,%f1,%f1,%f1};"
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r3,%r4,%r5,%r6}, {%r2,%r2,%r2,%r2}, {%r2,%r2}, "
      "{%r2,%r2,%r2,%r2};"
      "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%r3,%r4,%r5,%r6}, {%r2,%r2,%r2,%r2}, "
      "{%r2,%r2}, "
      "{%r2,%r2,%r2,%r2};"
      "wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {%r3,%r4,%r5,%r6}, {%r2,%r2,%r2,%r2,%r2,%r2,%r2,%r2}, "
      "{%r2,%r2,%r2,%r2,%r2,%r2,%r2,%r2}, {%r2,%r2,%r2,%r2};");
  const auto flops = [&](FlopType type) { return result.counters.flops[static_cast<std::size_t>(type)]; };
  EXPECT_EQ(result.counters.tensor_operations, 4u);
  EXPECT_EQ(flops(FlopType::kTensorF16F32), 4096u);
  EXPECT_EQ(flops(FlopType::kTensorS8), 8192u);
  EXPECT_EQ(flops(FlopType::kTensorB1), 65536u);
  EXPECT_EQ(flops(FlopType::kTensorF16), 8192u);
}

// Breaks when a sum is rounded otherwise than stated: from C on, k ascending, one rounding to f32 a step.
TEST_F(Matrix, SumsInTheStatedOrder) {
  const std::vector<u16> a = random_halves(256), b = random_halves(128);
  const u64 from_a = upload(a), from_b = upload(b), to = upload(std::vector<f32>(128));
  const LaunchResult result = run_well(
      // A is stored tile by tile, as registers hold it; B by columns: 8 rows of 32 bytes.
      "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r2, [%rd4]; ld.global.u32 %r3, "
      "[%rd4+128];"
      "ld.global.u32 %r4, [%rd4+256]; ld.global.u32 %r5, [%rd4+384];"
      "ld.global.u64 %rd5, [%rd2]; add.u64 %rd6, %rd5, %rd3; ld.global.u32 %r6, [%rd6]; ld.global.u32 %r7, "
      "[%rd6+128];"
      "mov.f32 %f1, 0f3f800000;"
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f2,%f3,%f4,%f5}, {%r2,%r3,%r4,%r5}, {%r6,%r7}, "
      "{%f1,%f1,%f1,%f1};"
      "ld.global.u64 %rd7, [%rd2+8]; add.u64 %rd8, %rd7, %rd3; st.global.f32 [%rd8], %f2; st.global.f32 "
      "[%rd8+128], %f3;"
      "st.global.f32 [%rd8+256], %f4; st.global.f32 [%rd8+384], %f5;",
      from_a, upload(std::vector<u64>{from_b, to}));
  const std::vector<f32> d = download<f32>(to, 128);
  for (u32 row = 0; row < 16; ++row)
    for (u32 column = 0; column < 8; ++column) {
      f32 sum = 1;
      for (u32 k = 0; k < 16; ++k) {
        const f32 x = value_of(a[(row / 8 + k / 8 * 2) * 64 + row % 8 * 8 + k % 8]);
        const f32 y = value_of(b[k / 8 * 64 + column * 8 + k % 8]);
        sum = std::fma(x, y, sum);
      }
      EXPECT_EQ(d[(row / 8 * 2 + column % 2) * 32 + row % 8 * 4 + column / 2], sum) << row << " " << column;
    }
}

// Breaks when a fragment that is loaded and stored comes back changed, in any shape, type or layout.
TEST_F(Matrix, FragmentsComeBackAsTheyWere) {
  struct Form {
    const char *shape, *type, *registers;
    u32 rows, columns, bytes;
  };
  const std::string words = "{%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10}";
  const Form forms[] = {{"m16n16k16", "f32", words.c_str(), 16, 16, 4},
                        {"m32n8k16", "s32", words.c_str(), 32, 8, 4},
                        {"m8n32k16", "f32", words.c_str(), 8, 32, 4},
                        {"m16n16k8", "f32", words.c_str(), 16, 16, 4},
                        {"m16n16k16", "f16", "{%r3,%r4,%r5,%r6}", 16, 16, 2},
                        {"m8n32k16", "f16", "{%r3,%r4,%r5,%r6}", 8, 32, 2},
                        {"m8n8k4", "f64", "{%fd1,%fd2}", 8, 8, 8},
                        {"m8n8k32", "s32", "{%r3,%r4}", 8, 8, 4}};
  for (const bool permute : {false, true})
    for (const Form& form : forms)
      for (const bool by_rows : {false, true}) {
        device_.set_permute_fragments(permute);
        const u32 stride = (by_rows ? form.columns : form.rows) + 8;
        const u32 lines = by_rows ? form.rows : form.columns, length = stride - 8;
        std::vector<u8> values(lines * stride * form.bytes);
        for (u8& value : values) value = static_cast<u8>(engine_());
        const u64 from = upload(values), to = upload(std::vector<u8>(values.size()));
        const std::string tail =
            std::string(by_rows ? "row." : "col.") + form.shape + ".global." + form.type + " ";
        run_well("mov.u32 %r2, " + std::to_string(stride) + "; wmma.load.c.sync.aligned." + tail +
                     form.registers + ", [%rd1], %r2; wmma.store.d.sync.aligned." + tail + "[%rd2], " +
                     form.registers + ", %r2;",
                 from, to);
        const std::vector<u8> got = download<u8>(to, values.size());
        for (u32 i = 0; i < lines; ++i)
          for (u32 j = 0; j < stride * form.bytes; ++j) {
            const u32 at = i * stride * form.bytes + j;
            ASSERT_EQ(got[at], j < length * form.bytes ? values[at] : 0) << tail << i << " " << j;
          }
      }
}

/// Multiplies the 16x16 matrix at p0 with itself through wmma; with `assume`, lane 0 doubles its first
/// element of D, which the layout of the hardware makes element (0, 0).
std::string square(bool assume) {
  const std::string a = "{%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10}", b = "{%r11,%r12,%r13,%r14,%r15,%r16,%r17,%r18}";
  const std::string d = "{%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}", z = "{%f9,%f9,%f9,%f9,%f9,%f9,%f9,%f9}";
  return "mov.u32 %r2, 16; mov.f32 %f9, 0f00000000; setp.eq.u32 %p1, %r1, 0;"
         "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " +
         a +
         ", [%rd1], %r2;"
         "wmma.load.b.sync.aligned.row.m16n16k16.global.f16 " +
         b +
         ", [%rd1], %r2;"
         "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 " +
         d + ", " + a + ", " + b + ", " + z + ";" + (assume ? "@%p1 add.f32 %f1, %f1, %f1;" : "") +
         "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], " + d + ", %r2;";
}

// Breaks when the permuted layout changes what the interface alone computes, or hides that a program assumes
// one.
TEST_F(Matrix, PermutedFragmentsShowWhoAssumesALayout) {
  std::vector<u16> matrix(256);
  std::vector<f32> expected(256);
  for (u32 i = 0; i < 256; ++i) matrix[i] = half_of(static_cast<f32>(i % 7));
  for (u32 i = 0; i < 256; ++i)
    for (u32 k = 0; k < 16; ++k)
      expected[i] += value_of(matrix[i / 16 * 16 + k]) * value_of(matrix[k * 16 + i % 16]);
  std::vector<f32> doubled = expected;
  doubled[0] *= 2;
  ASSERT_NE(expected[0], 0);
  const u64 from = upload(matrix), to = upload(expected);
  for (const bool permute : {false, true}) {
    device_.set_permute_fragments(permute);
    run_well(square(false), from, to);
    EXPECT_EQ(download<f32>(to, 256), expected) << permute;
    run_well(square(true), from, to);
    EXPECT_EQ(download<f32>(to, 256) == doubled, !permute);
  }
}

// Breaks when a matrix instruction reads past an allocation, or executes with lanes missing.
TEST_F(Matrix, TrapsNameWhatIsWrong) {
  const u64 small = upload(std::vector<u16>(16 * 16 - 1));
  const std::string load =
      "mov.u32 %r2, 16; wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
      "{%r3,%r4,%r5,%r6,%r7,%r8,%r9,%r10}, [%rd1], "
      "%r2;";
  LaunchResult result = run(load, small);
  ASSERT_TRUE(result.trap);
  EXPECT_EQ(result.trap->kind, TrapKind::kIllegalAddress);
  EXPECT_NE(result.trap->message.find("510-byte allocation"), std::string::npos) << result.trap->message;
  result = run(load, upload(std::vector<u16>(256)), 0, 24);
  ASSERT_TRUE(result.trap);
  EXPECT_NE(result.trap->message.find("all 32 lanes"), std::string::npos) << result.trap->message;
  result = run("mov.u32 %r4, s; add.u32 %r4, %r4, 8; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];",
               0, 0, 32, 1, kShared);
  ASSERT_TRUE(result.trap);
  EXPECT_EQ(result.trap->kind, TrapKind::kMisalignedAddress);
}

// Breaks when an asynchronous copy costs no time where it is waited for.
TEST_F(Matrix, WaitingForAsynchronousCopiesTakesTime) {
  const u64 from = upload(std::vector<u32>(1024));
  const std::string copy =
      "mul.wide.u32 %rd3, %r1, 16; add.s64 %rd4, %rd1, %rd3; shl.b32 %r3, %r1, 4; mov.u32 %r2, s; add.u32 "
      "%r4, %r2, %r3;"
      "cp.async.cg.shared.global [%r4], [%rd4], 16; cp.async.commit_group;"
      "cp.async.cg.shared.global [%r4+512], [%rd4+512], 16; cp.async.commit_group; ";
  const auto cycles = [&](const std::string& wait) {
    return run_well(copy + wait, from, 0, 32, 1, kShared).counters.block_cycles_dram;
  };
  const double latency = device_.description().dram_latency;
  EXPECT_LT(cycles("cp.async.wait_group 2;"), latency);
  EXPECT_GT(cycles("cp.async.wait_group 1;"), latency);
  EXPECT_GE(cycles("cp.async.wait_group 0;"), cycles("cp.async.wait_group 1;"));
  EXPECT_EQ(cycles("cp.async.wait_all;"), cycles("cp.async.wait_group 0;"));
}

}  // namespace
}  // namespace roofline::sim
