// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <string>

#include "kernel_fixture.h"
#include "ptxas.h"

/// Products and sums that become one fused multiply-add, and those that do not. ptxas is the oracle.
namespace roofline::sim::contraction {
namespace {

constexpr f32 kA = 1.1f, kB = 1.3f, kC = -1.43f, kD = 3.0f;

class Contraction : public KernelTest {
 protected:
  /// What `body` makes of %f1 to %f4 (a, b, c, d) in %f9 and %f10.
  std::vector<f32> results(const std::string& body, const std::string& target = "sm_80") {
    const u64 in = upload<f32>({kA, kB, kC, kD}), out = upload<f32>({0, 0});
    std::string module = module_of(
        "ld.volatile.global.f32 %f1, [%rd1]; ld.volatile.global.f32 %f2, [%rd1+4];"
        "ld.volatile.global.f32 %f3, [%rd1+8]; ld.volatile.global.f32 %f4, [%rd1+12];"
        "mov.f32 %f9, 0f00000000; mov.f32 %f10, 0f00000000;" +
        body + "st.global.f32 [%rd2], %f9; st.global.f32 [%rd2+4], %f10;");
    module.replace(module.find("sm_80"), 5, target);
    const ModuleFacts facts = device_.load_module(module, {});
    Launch launch;
    launch.function = facts.functions.at(0).id;
    launch.grid = launch.block = {1, 1, 1};
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &in, 8);
    std::memcpy(launch.parameters.data() + 8, &out, 8);
    function_ = launch.function;
    const LaunchResult result = device_.launch(launch);
    EXPECT_FALSE(result.trap) << result.trap->message;
    fused_ = 0;
    for (const InstructionInfo& info : device_.instructions_of(function_))
      fused_ += info.text.find("fma.rn") != std::string::npos;
    return download<f32>(out, 2);
  }

  int fused_ = 0;  ///< fused multiply-adds of the last kernel
};

// Breaks when a sign gets lost on the way into the fused instruction.
TEST_F(Contraction, OneRoundingAndTheSigns) {
  const f32 p = kA * kB;
  ASSERT_NE(p + kC, std::fma(kA, kB, kC)) << "the operands do not show the difference";
  EXPECT_EQ(results("mul.f32 %f5, %f1, %f2; add.f32 %f9, %f5, %f3;")[0], std::fma(kA, kB, kC));
  EXPECT_EQ(results("mul.f32 %f5, %f1, %f2; add.f32 %f9, %f3, %f5;")[0], std::fma(kA, kB, kC));
  EXPECT_EQ(results("mul.f32 %f5, %f1, %f2; sub.f32 %f9, %f5, %f3;")[0], std::fma(kA, kB, -kC));
  EXPECT_EQ(results("mul.f32 %f5, %f1, %f2; sub.f32 %f9, %f3, %f5;")[0], std::fma(-kA, kB, kC));
  EXPECT_EQ(results("mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; sub.f32 %f9, %f6, %f3;")[0],
            std::fma(-kA, kB, -kC));
  EXPECT_EQ(results("mul.f32 %f5, 0f3F8CCCCD, %f2; sub.f32 %f9, 0fBFB70A3D, %f5;")[0],
            std::fma(-kA, kB, std::bit_cast<f32>(0xBFB70A3Du)));
}

// Breaks when __fmul_rn and __fadd_rn, or nvcc -fmad=false, no longer keep two roundings.
TEST_F(Contraction, NotWhenARoundingIsNamed) {
  EXPECT_EQ(results("mul.rn.f32 %f5, %f1, %f2; add.f32 %f9, %f5, %f3;")[0], kA * kB + kC);
  EXPECT_EQ(results("mul.f32 %f5, %f1, %f2; add.rn.f32 %f9, %f5, %f3;")[0], kA * kB + kC);
  EXPECT_EQ(fused_, 0);
}

TEST_F(Contraction, NotInDebugCode) {
  EXPECT_EQ(results("mul.f32 %f5, %f1, %f2; add.f32 %f9, %f5, %f3;", "sm_80, debug")[0], kA * kB + kC);
  EXPECT_EQ(fused_, 0);
}

// Breaks when an instruction is erased and a branch still goes to its old place, or its label does.
TEST_F(Contraction, BranchesFindTheirPlace) {
  const std::vector<f32> r = results(
      "mov.u32 %r2, 0;"
      "AGAIN: mul.f32 %f5, %f1, %f2; sub.f32 %f6, %f5, %f3; add.f32 %f9, %f9, %f6;"
      "add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra AGAIN;"
      "mul.f32 %f7, %f2, %f4; add.f32 %f10, %f7, %f3;");
  const f32 step = std::fma(kA, kB, -kC);
  EXPECT_EQ(r[0], step + step + step);
  EXPECT_EQ(r[1], std::fma(kB, kD, kC));
  EXPECT_EQ(fused_, 2);
}

// Breaks when a product is fused although a factor has another value where the sum is.
TEST_F(Contraction, AFactorThatChanges) {
  EXPECT_EQ(results("mul.f32 %f5, %f1, %f2; mov.f32 %f1, %f4; add.f32 %f9, %f5, %f3;")[0], kA * kB + kC);
}

TEST_F(Contraction, OfHalvesAndDoubles) {
  const auto text_of = [&](const std::string& body) {
    run_well(body, upload<u64>({0, 0, 0, 0}));
    std::string all;
    for (const InstructionInfo& info : device_.instructions_of(function_)) all += info.text + ";";
    return all;
  };
  for (const std::string type : {"f16", "bf16"})
    EXPECT_NE(text_of("mul." + type + " %rs1, %rs2, %rs3; sub." + type + " %rs4, %rs5, %rs1;")
                  .find("fma.rn." + type + " %rs4, -%rs2, %rs3, %rs5"),
              std::string::npos);
  EXPECT_NE(text_of("mul.f16x2 %r2, %r3, %r4; add.ftz.f16x2 %r5, %r2, %r6;").find("mul.f16x2"),
            std::string::npos);
  EXPECT_NE(text_of("mul.f64 %fd1, %fd2, %fd3; sub.f64 %fd4, %fd1, %fd5;")
                .find("fma.rn.f64 %fd4, %fd2, %fd3, -%fd5"),
            std::string::npos);
}

// ---- against ptxas ----

struct Form {
  const char* name;
  const char* body;
};
constexpr Form kForms[] = {
    {"two uses", "mul.f32 %f5, %f1, %f2; add.f32 %f9, %f5, %f3; sub.f32 %f10, %f5, %f4;"},
    {"a use that is no sum", "mul.f32 %f10, %f1, %f2; add.f32 %f9, %f10, %f3;"},
    {"one sum of two keeps its rounding",
     "mul.f32 %f5, %f1, %f2; add.f32 %f9, %f5, %f3; add.rn.f32 %f10, %f5, %f4;"},
    {"twice the product", "mul.f32 %f5, %f1, %f2; add.f32 %f9, %f5, %f5;"},
    {"two products", "mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; sub.f32 %f9, %f5, %f6;"},
    {"two products, one needed elsewhere",
     "mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; add.f32 %f9, %f5, %f6; add.f32 %f10, %f6, %f1;"},
    {"two products, both used twice",
     "mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f3, %f4; add.f32 %f9, %f5, %f6; sub.f32 %f10, %f5, %f6;"},
    {"product of a product", "mul.f32 %f5, %f1, %f2; mul.f32 %f6, %f5, %f3; add.f32 %f9, %f6, %f4;"},
    {"saturated sum", "mul.f32 %f5, %f1, %f2; add.sat.f32 %f9, %f5, %f3;"},
    {"saturated product", "mul.sat.f32 %f5, %f1, %f2; add.f32 %f9, %f5, %f3;"},
    {"flushed", "mul.ftz.f32 %f5, %f1, %f2; add.ftz.f32 %f9, %f5, %f3;"},
    {"flushed product", "mul.ftz.f32 %f5, %f1, %f2; add.f32 %f9, %f5, %f3;"},
    {"negated", "mul.f32 %f5, %f1, %f2; neg.f32 %f6, %f5; sub.f32 %f9, %f6, %f3; add.f32 %f10, %f5, %f4;"},
    {"absolute", "mul.f32 %f5, %f1, %f2; abs.f32 %f6, %f5; add.f32 %f9, %f6, %f3;"},
    {"guarded sum", "setp.gt.u32 %p1, %r1, 3; mul.f32 %f5, %f1, %f2; @%p1 add.f32 %f9, %f5, %f3;"},
    {"behind a branch",
     "setp.gt.u32 %p1, %r1, 3; mul.f32 %f5, %f1, %f2; @%p1 bra L; add.f32 %f9, %f5, %f3; bar.sync 0; L:"},
    {"behind a label", "mul.f32 %f5, %f1, %f2; L: add.f32 %f9, %f5, %f3;"},
    {"behind a barrier", "mul.f32 %f5, %f1, %f2; bar.sync 0; add.f32 %f9, %f5, %f3;"},
    {"into a fused sum", "mul.f32 %f5, %f1, %f2; fma.rn.f32 %f9, %f3, %f4, %f5;"},
};

// Breaks when ptxas and the machine disagree about what becomes one instruction.
TEST_F(Contraction, AsPtxasDoes) {
  int all = 0;
  for (const auto& form : kForms) {
    results(form.body);
    const auto theirs = machine_code_of(
        module_of(std::string("ld.volatile.global.f32 %f1, [%rd1]; ld.volatile.global.f32 %f2, [%rd1+4];"
                              "ld.volatile.global.f32 %f3, [%rd1+8]; ld.volatile.global.f32 %f4, [%rd1+12];"
                              "mov.f32 %f9, 0f00000000; mov.f32 %f10, 0f00000000;") +
                  form.body + "st.global.f32 [%rd2], %f9; st.global.f32 [%rd2+4], %f10;"));
    const auto is_ffma = [](const MachineInstruction& in) { return (in.low & 0x1ff) == 0x023; };
    EXPECT_EQ(fused_, std::count_if(theirs.begin(), theirs.end(), is_ffma)) << form.name;
    all += fused_;
  }
  EXPECT_GT(all, 10);
}

}  // namespace
}  // namespace roofline::sim::contraction
