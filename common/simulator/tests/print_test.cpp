// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "kernel_fixture.h"
#include "simulator/isa/print_format.h"

/// printf, assert, malloc and free in kernels.
namespace roofline::sim {
namespace {

/// Formats with 8-byte aligned words as arguments (what matters is their order; narrow ones take 4 bytes).
std::string print(const std::string& format, const std::vector<u8>& buffer) {
  isa::PrintArguments arguments([&](u64 at, u32 bytes) {
    u64 value = 0;
    if (at + bytes <= buffer.size()) std::memcpy(&value, buffer.data() + at, bytes);
    return value;
  });
  return isa::print_format(format, arguments, [](u64 address) { return "text" + std::to_string(address); });
}

/// A C struct's bytes.
template <class... T>
std::vector<u8> packed(T... values) {
  std::vector<u8> bytes;
  const auto add = [&](auto value) {
    bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value);
    const auto* from = reinterpret_cast<const u8*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  };
  (add(values), ...);
  return bytes;
}

// Breaks when a conversion takes the wrong bytes or prints them in another way than C does.
TEST(PrintFormat, Conversions) {
  EXPECT_EQ(print("plain", {}), "plain");
  EXPECT_EQ(print("100%%", {}), "100%");
  EXPECT_EQ(print("%d %i", packed(-3, 4)), "-3 4");
  EXPECT_EQ(print("%u %x %X %o %#x", packed(~0u, 255u, 255u, 8u, 255u)), "4294967295 ff FF 10 0xff");
  EXPECT_EQ(print("%c|%s", packed(int{'A'}, u64{7})), "A|text7");
  EXPECT_EQ(print("%s", packed(u64{0})), "(null)");
  EXPECT_EQ(print("%f %.2f %e %g %G", packed(1.5, 2.345, 12345.678, 1e-10, 0.5)),
            "1.500000 2.35 1.234568e+04 1e-10 0.5");
  EXPECT_EQ(print("%ld %lld %llu %zu", packed(s64{-5}, s64{-6}, u64{7}, u64{8})), "-5 -6 7 8");
  EXPECT_EQ(print("%hd %hhd %hhu", packed(70000, 300, 300)), "4464 44 44");
  EXPECT_EQ(print("%p", packed(u64{0x1234})), "0x1234");
  EXPECT_EQ(print("%a", packed(1.0)), "0x1p+0");
}

// Breaks when flags, widths and precisions are dropped or take the wrong arguments.
TEST(PrintFormat, WidthsAndFlags) {
  EXPECT_EQ(print("[%5d] [%-5d] [%05d] [%+d] [% d]", packed(42, 42, 42, 42, 42)),
            "[   42] [42   ] [00042] [+42] [ 42]");
  EXPECT_EQ(print("[%*d] [%-*d] [%.*f]", packed(4, 7, 4, 7, 1, 2.25)), "[   7] [7   ] [2.2]");
  EXPECT_EQ(print("[%*d]", packed(-4, 7)), "[7   ]");
  EXPECT_EQ(print("[%.3s] [%8.3f]", packed(u64{1}, 3.14159)), "[tex] [   3.142]");
}

// Breaks when a double after an int is not aligned as the compiler packs it.
TEST(PrintFormat, ArgumentsAreAligned) {
  EXPECT_EQ(print("%d %f %d %lld", packed(1, 2.0, 3, s64{4})), "1 2.000000 3 4");
}

// Breaks when a malformed format reads past its end or loses text.
TEST(PrintFormat, MalformedFormatsStayAsTheyAre) {
  EXPECT_EQ(print("%", {}), "%");
  EXPECT_EQ(print("50%!", {}), "50%!");
  EXPECT_EQ(print("%-", {}), "%-");
  EXPECT_EQ(print("a%q%d", packed(1)), "a%q1");
  EXPECT_EQ(print("%999999999d", packed(1)).size(), 4096u);
}

class Printing : public KernelTest {
 protected:
  static constexpr const char* kDeclarations = R"(
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.extern .func (.param .b64 r) malloc (.param .b64 a);
.extern .func free (.param .b64 a);
.global .align 1 .b8 format[12] = {116, 104, 114, 101, 97, 100, 32, 37, 100, 10, 0, 0};
.global .align 1 .b8 message[6] = {120, 32, 60, 32, 52, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
.global .align 1 .b8 function[9] = {118, 111, 105, 100, 32, 107, 40, 41, 0};
)";
};

// Breaks when lanes or blocks print out of order, or the format is not found.
TEST_F(Printing, PrintsLanesAndBlocksInOrder) {
  const LaunchResult result = run_well(R"({ .local .align 8 .b8 buffer[8]; .reg .b64 %q<8>; .reg .b32 %w<4>;
      mov.u64 %q1, buffer; cvta.local.u64 %q2, %q1; mov.u32 %w1, %ctaid.x; mad.lo.s32 %w2, %w1, 100, %r1; st.local.u32 [%q1], %w2;
      mov.u64 %q3, format; cvta.global.u64 %q4, %q3;
      { .reg .b32 temp; .param .b64 param0; st.param.b64 [param0+0], %q4; .param .b64 param1; st.param.b64 [param1+0], %q2;
        .param .b32 retval0; call.uni (retval0), vprintf, (param0, param1); ld.param.b32 %w3, [retval0+0]; } })",
                                       0, 0, 3, 3, kDeclarations);
  EXPECT_EQ(result.output,
            "thread 0\nthread 1\nthread 2\nthread 100\nthread 101\nthread 102\nthread 200\nthread "
            "201\nthread 202\n");
}

// Breaks when a failed assertion does not stop the kernel, or reads differently from the real message.
TEST_F(Printing, AssertionsStopTheKernel) {
  const LaunchResult result = run(R"({ .reg .b64 %q<8>; setp.lt.u32 %p1, %r1, 4; @%p1 bra OK;
      mov.u64 %q1, message; cvta.global.u64 %q1, %q1; mov.u64 %q2, file; cvta.global.u64 %q2, %q2; mov.u64 %q3, function; cvta.global.u64 %q3, %q3;
      { .param .b64 param0; st.param.b64 [param0+0], %q1; .param .b64 param1; st.param.b64 [param1+0], %q2; .param .b32 param2; st.param.b32 [param2+0], 17;
        .param .b64 param3; st.param.b64 [param3+0], %q3; .param .b64 param4; st.param.b64 [param4+0], 1;
        call.uni __assertfail, (param0, param1, param2, param3, param4); }
      OK: })",
                                  0, 0, 6, 1, kDeclarations);
  ASSERT_TRUE(result.trap);
  EXPECT_EQ(result.trap->kind, TrapKind::kAssert);
  EXPECT_EQ(result.output,
            "a.cu:17: void k(): block: [0,0,0], thread: [4,0,0] Assertion `x < 4` failed.\n"
            "a.cu:17: void k(): block: [0,0,0], thread: [5,0,0] Assertion `x < 4` failed.\n");
  EXPECT_NE(result.trap->message.find("Assertion `x < 4` failed."), std::string::npos);
}

constexpr const char* kMallocBody = R"({ .reg .b64 %q<8>;
      { .param .b64 param0; st.param.b64 [param0+0], 16; .param .b64 retval0; call.uni (retval0), malloc, (param0); ld.param.b64 %q1, [retval0+0]; }
      st.u32 [%q1+12], %r1; ld.u32 %r2, [%q1+12]; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r2;
      { .param .b64 param0; st.param.b64 [param0+0], %q1; call.uni free, (param0); } )";

// Breaks when lanes get the same block, or blocks are not given back.
TEST_F(Printing, MallocAndFree) {
  const u64 out = upload(std::vector<u32>(64));
  device_.set_heap_bytes(
      64 * 16);  // just enough for all lanes at once: the second kernel needs what the first freed
  for (int i = 0; i < 2; ++i) run_well(std::string(kMallocBody) + "}", out, 0, 64, 1, kDeclarations);
  const std::vector<u32> got = download<u32>(out, 64);
  for (u32 t = 0; t < 64; ++t) EXPECT_EQ(got[t], t);
}

// Breaks when use after free in a kernel goes unseen.
TEST_F(Printing, UseAfterFreeInAKernel) {
  const LaunchResult result = run(std::string(kMallocBody) + "ld.u32 %r3, [%q1]; }",
                                  upload(std::vector<u32>(1)), 0, 1, 1, kDeclarations);
  ASSERT_TRUE(result.trap);
  EXPECT_NE(result.trap->message.find("that was freed"), std::string::npos) << result.trap->message;
}

// Breaks when a wrong free is ignored.
TEST_F(Printing, FreeChecksItsPointer) {
  const LaunchResult result =
      run(std::string(kMallocBody) +
              "{ .param .b64 param0; st.param.b64 [param0+0], %q1; call.uni free, (param0); } }",
          upload(std::vector<u32>(1)), 0, 1, 1, kDeclarations);
  ASSERT_TRUE(result.trap);
  EXPECT_NE(result.trap->message.find("free()"), std::string::npos) << result.trap->message;
}

}  // namespace
}  // namespace roofline::sim
