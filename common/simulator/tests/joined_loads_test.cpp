// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <map>

#include "kernel_fixture.h"
#include "ptxas.h"

/// Neighbouring loads from shared memory that become one, and those that do not. ptxas is the oracle.
namespace roofline::sim::joined_loads {
namespace {

/// Loads by bytes a lane.
using Widths = std::map<u32, int>;

/// Shared memory holds the number of each word; %r2 is the address of the thread's 16 bytes, %r3 of its 8,
/// %r4 of its 4 of a static array, %r5 of its 16 of the dynamic one.
std::string filled(const std::string& body) {
  return "mov.u32 %r20, fixed; mov.u32 %r21, moving; shl.b32 %r22, %r1, 4; shl.b32 %r23, %r1, 3; "
         "shl.b32 %r24, %r1, 2; add.s32 %r2, %r20, %r22; add.s32 %r3, %r20, %r23; add.s32 %r4, %r20, %r24; "
         "add.s32 %r5, %r21, %r22;"
         "mul.lo.u32 %r25, %r1, 4; add.u32 %r26, %r25, 1; add.u32 %r27, %r25, 2; add.u32 %r28, %r25, 3;"
         "st.shared.v4.u32 [%r2], {%r25, %r26, %r27, %r28};"
         "st.shared.v4.u32 [%r5], {%r25, %r26, %r27, %r28}; bar.sync 0;" +
         body +
         "mul.wide.u32 %rd20, %r1, 16; add.s64 %rd21, %rd1, %rd20;"
         "st.global.v4.u32 [%rd21], {%r10, %r11, %r12, %r13};";
}
const std::string kArrays = ".shared .align 4 .b8 fixed[1024];\n.extern .shared .align 4 .b8 moving[];\n";
const std::string kZero = "mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;";
const std::string kFour =
    "ld.shared.u32 %r10, [%r2]; ld.shared.u32 %r11, [%r2+4]; ld.shared.u32 %r12, [%r2+8]; ld.shared.u32 "
    "%r13, "
    "[%r2+12];";

class JoinedLoads : public KernelTest {
 protected:
  /// The words that 32 threads get, and how wide their loads from shared memory were.
  std::vector<u32> results(const std::string& body, const std::string& target = "sm_80") {
    const u64 out = upload<u32>(std::vector<u32>(128)), aside = upload<u32>({0});
    std::string module = module_of(filled(body), kArrays);
    module.replace(module.find("sm_80"), 5, target);
    Launch launch;
    function_ = launch.function = device_.load_module(module, {}).functions.at(0).id;
    launch.grid = {1, 1, 1};
    launch.block = {32, 1, 1};
    launch.dynamic_shared_bytes = 512;
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &out, 8);
    std::memcpy(launch.parameters.data() + 8, &aside, 8);
    const LaunchResult result = device_.launch(launch);
    EXPECT_FALSE(result.trap) << result.trap->message;
    widths_.clear();
    for (const InstructionInfo& info : device_.instructions_of(function_))
      if (info.is_load && info.space == ptx::Space::kShared) ++widths_[info.width];
    return download<u32>(out, 128);
  }

  Widths widths_;
};

// Breaks when values of joined loads get into each other's registers, whatever the order of the loads.
TEST_F(JoinedLoads, EachRegisterGetsItsWord) {
  const std::string mixed =
      "ld.shared.u32 %r13, [%r2+12]; ld.shared.u32 %r10, [%r2]; ld.shared.u32 %r12, [%r2+8]; "
      "ld.shared.u32 %r11, [%r2+4];";
  for (const std::string& body : {kFour, mixed}) {
    const auto words = results(body);
    EXPECT_EQ(widths_, (Widths{{16, 1}}));
    for (u32 i = 0; i < 128; ++i) EXPECT_EQ(words[i], i);
  }
}

// Breaks when a load moves before the store that it reads, or after its register is used or written.
TEST_F(JoinedLoads, OrderIsKept) {
  EXPECT_EQ(results("ld.shared.u32 %r10, [%r2]; mov.u32 %r14, 77; st.shared.u32 [%r2+4], %r14;"
                    "ld.shared.u32 %r11, [%r2+4]; mov.u32 %r12, 0; mov.u32 %r13, 0;")[1],
            77u);
  EXPECT_EQ(results(kZero + "ld.shared.u32 %r10, [%r2]; mov.u32 %r12, %r11; ld.shared.u32 %r11, [%r2+4];")[2],
            0u);
  EXPECT_EQ(results(kZero + "ld.shared.u32 %r10, [%r2]; mov.u32 %r11, 5; ld.shared.u32 %r11, [%r2+4];")[1],
            1u);
  EXPECT_EQ(
      results(kZero + "ld.shared.u32 %r10, [%r2]; add.u32 %r2, %r2, 8; ld.shared.u32 %r11, [%r2+4];")[1], 3u);
  EXPECT_EQ(results(kZero + "ld.shared.u32 %r2, [%r2]; ld.shared.u32 %r11, [%r2+4];")[1], 1u);
}

TEST_F(JoinedLoads, NotInDebugCode) {
  EXPECT_EQ(results(kFour, "sm_80, debug")[127], 127u);
  EXPECT_EQ(widths_, (Widths{{4, 4}}));
}

// Messages name a line of the source; what it loads stays there.
TEST_F(JoinedLoads, NotOfDifferentLines) {
  results(
      ".loc 1 3 1; ld.shared.u32 %r10, [%r2]; ld.shared.u32 %r11, [%r2+4]; .loc 1 4 1;"
      "ld.shared.u32 %r12, [%r2+8]; ld.shared.u32 %r13, [%r2+12];");
  EXPECT_EQ(widths_, (Widths{{8, 2}}));
}

// ---- against ptxas ----

struct Form {
  const char* name;
  std::string body;
};
const Form kForms[] = {
    {"four words", kFour},
    {"two words", kZero + "ld.shared.u32 %r10, [%r3]; ld.shared.u32 %r11, [%r3+4];"},
    {"two words across pieces", kZero + "ld.shared.u32 %r10, [%r2+4]; ld.shared.u32 %r11, [%r2+8];"},
    {"words of threads that overlap",
     "ld.shared.u32 %r10, [%r4]; ld.shared.u32 %r11, [%r4+4]; ld.shared.u32 %r12, [%r4+8]; ld.shared.u32 "
     "%r13, "
     "[%r4+12];"},
    {"aligned to eight",
     "ld.shared.u32 %r10, [%r3]; ld.shared.u32 %r11, [%r3+4]; ld.shared.u32 %r12, [%r3+8]; ld.shared.u32 "
     "%r13, "
     "[%r3+12];"},
    {"dynamic array",
     "ld.shared.u32 %r10, [%r5]; ld.shared.u32 %r11, [%r5+4]; ld.shared.u32 %r12, [%r5+8]; ld.shared.u32 "
     "%r13, "
     "[%r5+12];"},
    {"by name", kZero + "ld.shared.u32 %r10, [fixed]; ld.shared.u32 %r11, [fixed+4];"},
    {"halves",
     kZero +
         "ld.shared.u16 %rs1, [%r2]; ld.shared.u16 %rs2, [%r2+2]; ld.shared.u16 %rs3, [%r2+4]; "
         "ld.shared.u16 %rs4, [%r2+6]; fma.rn.f16 %rs5, %rs1, %rs2, %rs3; fma.rn.f16 %rs6, %rs5, %rs4, %rs1; "
         "mov.b32 %r10, {%rs5, %rs6};"},
    {"two doubles",
     "ld.shared.u64 %rd10, [%r2]; ld.shared.u64 %rd11, [%r2+8]; mov.b64 {%r10, %r11}, %rd10; "
     "mov.b64 {%r12, %r13}, %rd11;"},
    {"masked address",
     "and.b32 %r6, %r24, 112; add.s32 %r7, %r20, %r6; ld.shared.u32 %r10, [%r7]; ld.shared.u32 %r11, "
     "[%r7+4]; "
     "ld.shared.u32 %r12, [%r7+8]; ld.shared.u32 %r13, [%r7+12];"},
    {"address that was 64 bits wide",
     "cvt.u64.u32 %rd5, %r22; add.s64 %rd5, %rd5, 32; cvt.u32.u64 %r6, %rd5; add.s32 %r7, %r20, %r6;"
     "ld.shared.u32 %r10, [%r7]; ld.shared.u32 %r11, [%r7+4]; ld.shared.u32 %r12, [%r7+8]; ld.shared.u32 "
     "%r13, "
     "[%r7+12];"},
    {"address that was cut",
     "cvt.sat.u16.u32 %rs7, %r22; cvt.u32.u16 %r6, %rs7; add.s32 %r7, %r20, %r6; and.b32 %r7, %r7, -4;"
     "ld.shared.u32 %r10, [%r7]; ld.shared.u32 %r11, [%r7+4]; ld.shared.u32 %r12, [%r7+8]; ld.shared.u32 "
     "%r13, "
     "[%r7+12];"},
    {"store to shared memory between",
     "ld.shared.u32 %r10, [%r2]; ld.shared.u32 %r11, [%r2+4]; st.shared.u32 [%r2+16], %r10;"
     "ld.shared.u32 %r12, [%r2+8]; ld.shared.u32 %r13, [%r2+12];"},
    {"store to global memory between",
     "ld.shared.u32 %r10, [%r2]; ld.shared.u32 %r11, [%r2+4]; st.global.u32 [%rd2], %r10;"
     "ld.shared.u32 %r12, [%r2+8]; ld.shared.u32 %r13, [%r2+12];"},
    {"barrier between",
     "ld.shared.u32 %r10, [%r2]; ld.shared.u32 %r11, [%r2+4]; bar.sync 0; ld.shared.u32 %r12, [%r2+8];"
     "ld.shared.u32 %r13, [%r2+12];"},
    {"volatile",
     "ld.volatile.shared.u32 %r10, [%r2]; ld.volatile.shared.u32 %r11, [%r2+4]; ld.volatile.shared.u32 %r12, "
     "[%r2+8]; ld.volatile.shared.u32 %r13, [%r2+12];"},
    {"a loop that goes on by sixteen",
     kZero +
         "mov.u32 %r14, 0; mov.u32 %r6, %r20; AGAIN: ld.shared.u32 %r15, [%r6]; ld.shared.u32 %r16, [%r6+4];"
         "add.u32 %r10, %r10, %r15; mad.lo.u32 %r11, %r11, %r16, %r15; add.u32 %r6, %r6, 16; add.u32 %r14, "
         "%r14, 1; setp.lt.u32 %p1, %r14, %r1; @%p1 bra AGAIN;"},
    {"a loop that goes on by four",
     kZero +
         "mov.u32 %r14, 0; mov.u32 %r6, %r20; AGAIN: ld.shared.u32 %r15, [%r6]; ld.shared.u32 %r16, [%r6+4];"
         "add.u32 %r10, %r10, %r15; mad.lo.u32 %r11, %r11, %r16, %r15; add.u32 %r6, %r6, 4; add.u32 %r14, "
         "%r14, 1; setp.lt.u32 %p1, %r14, %r1; @%p1 bra AGAIN;"},
};

/// Loads from shared memory (LDS) in a kernel's code.
Widths widths_of(const std::vector<MachineInstruction>& code) {
  constexpr u32 kBytes[] = {1, 1, 2, 2, 4, 8, 16, 0};
  Widths widths;
  for (const MachineInstruction& in : code)
    if (in.opcode() == 0x984) ++widths[kBytes[in.high >> 9 & 7]];
  return widths;
}

/// The width that most loads have.
u32 usual(const Widths& widths) {
  return std::max_element(widths.begin(), widths.end(), [](auto& a, auto& b) { return a.second < b.second; })
      ->first;
}

// Breaks when ptxas and the machine disagree about which loads become one.
TEST_F(JoinedLoads, AsPtxasDoes) {
  for (const Form& form : kForms) {
    results(form.body);
    const Widths theirs = widths_of(machine_code_of(module_of(filled(form.body), kArrays)));
    // ptxas unrolls a loop and keeps what the next round needs: there only the usual width counts.
    if (std::string(form.name).find("loop") == std::string::npos) {
      EXPECT_EQ(widths_, theirs) << form.name;
    } else {
      EXPECT_EQ(usual(widths_), usual(theirs)) << form.name;
    }
  }
}

}  // namespace
}  // namespace roofline::sim::joined_loads
