// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "kernel_fixture.h"
#include "ptxas.h"

/// Which conversions are F2FP, an instruction of the ALU, and which go through the special functions. ptxas
/// is the oracle.
namespace roofline::sim::conversion_cost {
namespace {

struct Form {
  std::string body;  ///< from %f1, %f2 or %r3 to %r8
  bool on_alu;
  u32 slots = 1;  ///< of its pipe
};

const std::string kBefore =
    "mul.wide.u32 %rd4, %r1, 8; add.s64 %rd5, %rd1, %rd4; ld.global.v2.f32 {%f1, %f2}, [%rd5];"
    "mov.b32 %r3, %f1;\n";
const std::string kAfter = "\nst.global.u32 [%rd5], %r8;";

std::vector<Form> forms() {
  return {
      {"cvt.rn.f16x2.f32 %r8, %f1, %f2;", true, 2},
      {"cvt.rz.f16x2.f32 %r8, %f1, %f2;", true, 2},
      {"cvt.rn.relu.f16x2.f32 %r8, %f1, %f2;", true, 2},
      {"cvt.rn.bf16x2.f32 %r8, %f1, %f2;", true, 2},
      {"cvt.rz.relu.bf16x2.f32 %r8, %f1, %f2;", true, 2},
      {"cvt.rn.relu.f16.f32 %rs1, %f1; cvt.u32.u16 %r8, %rs1;", true, 2},
      {"cvt.rn.relu.bf16.f32 %rs1, %f1; cvt.u32.u16 %r8, %rs1;", true, 2},
      {"cvt.rp.f16.f32 %rs1, %f1; cvt.u32.u16 %r8, %rs1;", false},
      {"cvt.rn.f32.s32 %f3, %r3; mov.b32 %r8, %f3;", false},
      {"cvt.rzi.s32.f32 %r8, %f1;", false},
  };
}

class ConversionCostTest : public KernelTest {
 protected:
  Cost ours(const std::string& module) {
    const u32 function = device_.load_module(module, {}).functions.at(0).id;
    for (const InstructionInfo& in : device_.instructions_of(function))
      if (in.text.starts_with("cvt.r")) return in.cost;
    ADD_FAILURE() << "no conversion";
    return {};
  }
};

bool is_f2fp(const std::string& module) {
  constexpr u64 kF2fp = 0x23e;
  return std::ranges::any_of(machine_code_of(module),
                             [](const MachineInstruction& in) { return in.opcode() == kF2fp; });
}

// Breaks when a packed conversion is charged to the special functions, whose time exponentials need, or one
// of those to the ALU.
TEST_F(ConversionCostTest, PackedOnesAreOfTheAlu) {
  for (const Form& form : forms()) {
    const std::string module = module_of(kBefore + form.body + kAfter);
    EXPECT_EQ(is_f2fp(module), form.on_alu) << form.body;
    const Cost cost = ours(module);
    EXPECT_EQ(cost.pipe, form.on_alu ? Pipe::kAlu : Pipe::kSfu) << form.body;
    EXPECT_EQ(cost.pipe_slots(), form.slots) << form.body;
  }
}

// Breaks when a kernel that packs what it exponentiates takes longer for it than its exponentials do: on a
// GPU they are different units.
TEST_F(ConversionCostTest, PackingHidesBehindExponentials) {
  const auto seconds = [&](const std::string& packing) {
    std::string body = kBefore + "mov.u32 %r9, 0;\nA:\n";
    for (int i = 0; i < 4; ++i) body += "ex2.approx.ftz.f32 %f1, %f1; ex2.approx.ftz.f32 %f2, %f2;" + packing;
    body += "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 256; @%p1 bra A; mov.b32 %r8, %f1;";
    const u64 memory = upload(std::vector<u64>(1024));
    return run_well(body + kAfter, memory, memory, 1024, 108).time.seconds;
  };
  const std::string packed = "cvt.rn.f16x2.f32 %r7, %f1, %f2; xor.b32 %r6, %r6, %r7;";
  EXPECT_LT(seconds(packed), 1.1 * seconds(""));
}

}  // namespace
}  // namespace roofline::sim::conversion_cost
