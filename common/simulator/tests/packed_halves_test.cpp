// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "kernel_fixture.h"
#include "ptxas.h"

/// Instructions on single halves that become one on two. ptxas is the oracle.
namespace roofline::sim::packed_halves {
namespace {

/// `text` for i = 0 ... n - 1, where $0, $1, ... stand for the names of the halves i, i + 1, ...
std::string each(int n, const std::string& text) {
  std::string all;
  for (int i = 0; i < n; ++i)
    for (size_t at = 0; at < text.size(); ++at)
      if (text[at] == '$')
        all += "%h" + std::to_string(i + (text[++at] - '0') * 10);
      else if (text[at] == '#')
        all += std::to_string(2 * i);
      else
        all += text[at];
  return all;
}

/// Eight halves and one more (%h90) are loaded, `body` computes %h10 and so on of them, `n` of which are
/// stored.
std::string kernel(const std::string& body, int n) {
  return ".reg .b16 %h<100>;" + each(8, "ld.global.u16 $0, [%rd1+#];") + "ld.global.u16 %h90, [%rd1+64];" +
         body + each(n, "st.global.u16 [%rd2+#], $1;");
}

struct Form {
  const char* name;
  std::string body;
  int results;
};
const Form kForms[] = {
    {"eight fused ones", each(8, "fma.rn.f16 $1, %h90, $0, %h90;"), 8},
    {"five fused ones", each(5, "fma.rn.f16 $1, %h90, $0, %h90;"), 5},
    {"bf16", each(4, "fma.rn.bf16 $1, %h90, $0, %h90;"), 4},
    {"a chain", "mov.b16 %h10, %h90;" + each(6, "fma.rn.f16 %h10, %h10, $0, %h90;"), 1},
    {"two chains",
     "mov.b16 %h10, %h90; mov.b16 %h11, %h90;" +
         each(4, "fma.rn.f16 %h10, %h10, $0, %h90; fma.rn.f16 %h11, %h11, $0, %h90;"),
     2},
    {"unlike ones", "fma.rn.f16 %h10, %h0, %h1, %h2; mul.rn.f16 %h11, %h3, %h4;", 2},
    {"products that become sums", each(4, "mul.f16 $2, $0, %h90; add.f16 $1, $2, %h90;"), 4},
};

class PackedHalves : public KernelTest {
 protected:
  /// Instructions that the half pipe executes.
  long ours(const std::string& body, const std::string& target = "sm_80") {
    std::string module = module_of(body);
    module.replace(module.find("sm_80"), 5, target);
    const auto& info = device_.instructions_of(device_.load_module(module, {}).functions.at(0).id);
    return std::count_if(info.begin(), info.end(),
                         [](const InstructionInfo& in) { return in.cost.pipe == Pipe::kHalf; });
  }
};

// Breaks when ptxas and the machine disagree about what becomes one instruction.
TEST_F(PackedHalves, AsPtxasDoes) {
  for (const Form& form : kForms) {
    const std::string body = kernel(form.body, form.results);
    const auto theirs = machine_code_of(module_of(body));
    // HADD2, HFMA2, HMUL2
    const auto count = std::count_if(theirs.begin(), theirs.end(), [](const MachineInstruction& in) {
      return (in.opcode() & 0x1ff) >= 0x030 && (in.opcode() & 0x1ff) <= 0x032;
    });
    EXPECT_EQ(ours(body), count) << form.name;
  }
  EXPECT_EQ(ours(kernel(kForms[0].body, 8)), 4);
}

TEST_F(PackedHalves, NotInDebugCode) { EXPECT_EQ(ours(kernel(kForms[0].body, 8), "sm_80, debug"), 8); }

// Breaks when packing changes results or what counts as floating-point work.
TEST_F(PackedHalves, FlopsStay) {
  const std::string body = kernel(kForms[0].body, 8);
  const u64 in = upload<u16>(std::vector<u16>(64, 0x3c00)), out = upload<u16>(std::vector<u16>(64));
  const LaunchResult result = run_well(body, in, out);
  EXPECT_EQ(result.counters.flops[static_cast<size_t>(FlopType::kF16)], 8u * 2 * 32);
  EXPECT_EQ(download<u16>(out, 8), std::vector<u16>(8, 0x4000));
}

}  // namespace
}  // namespace roofline::sim::packed_halves
