// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/machine_fixture.h"

/// Rows: special registers, copies, conversions, sharing by liveness.
namespace roofline::sim {
namespace {

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

}  // namespace
}  // namespace roofline::sim
