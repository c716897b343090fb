// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "kernel_fixture.h"
#include "ptxas.h"

/// Branches that ptxas turns into predicates, and those that stay. ptxas is the oracle.
namespace roofline::sim::predication {
namespace {

/// A loop: in each round `%f1` is read, `%p1` and `%p2` ask about it, `skipped` may be skipped, up to L.
std::string loop(const std::string& skipped) {
  return "mov.u32 %r9, 0; mov.f32 %f2, 0f00000000; mov.f32 %f3, 0f3F800000; shl.b32 %r8, %r1, 2;"
         "cvt.u64.u32 %rd3, %r8; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;"
         "LOOP: add.s64 %rd4, %rd4, 4096; ld.global.f32 %f1, [%rd4]; setp.gt.f32 %p1, %f1, 0f00000000;"
         "setp.gt.f32 %p2, %f1, 0f3F800000;\n" +
         skipped +
         "\nL: st.global.f32 [%rd5], %f2; st.global.f32 [%rd5+128], %f3; bar.sync 0; add.u32 %r9, %r9, 1;"
         "setp.lt.u32 %p7, %r9, %r1; @%p7 bra LOOP;";
}

/// `text` again and again; # stands for an offset of its own.
std::string repeat(int times, const std::string& text) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += text;
    if (const size_t at = all.find('#'); at != std::string::npos) all.replace(at, 1, std::to_string(i * 128));
  }
  return all;
}
const std::string kSum = "fma.rn.f32 %f2, %f2, %f1, %f2;";
const std::string kRead = "ld.global.f32 %f4, [%rd4+512]; add.f32 %f2, %f2, %f4;";

struct Form {
  std::string name, body;
};
std::vector<Form> forms() {
  std::vector<Form> all;
  const auto add = [&](const std::string& name, const std::string& body) { all.push_back({name, body}); };
  for (const int n : {1, 7, 8, 9, 20}) add(std::to_string(n) + " sums", "@%p1 bra L;" + repeat(n, kSum));
  for (const int n : {1, 8, 17, 20}) add("a read, sums", "@%p1 bra L;" + kRead + repeat(n, kSum));
  for (const int n : {2, 8, 9})
    add(std::to_string(n) + " stores", "@%p1 bra L;" + repeat(n, "st.shared.f32 [%r8+#], %f1;"));
  for (const int n : {4, 5})
    add("reads of shared memory",
        "@%p1 bra L;" + repeat(n, "ld.shared.f32 %f4, [%r8+#]; add.f32 %f2, %f2, %f4;"));
  for (const int n : {8, 9}) add("64-bit sums", "@%p1 bra L;" + repeat(n, "add.s64 %rd4, %rd4, %rd5;"));
  for (const int n : {8, 9}) add("products", "@%p1 bra L;" + repeat(n, "mad.lo.s32 %r9, %r9, %r1, %r9;"));
  add("names only, and eight sums",
      "@%p1 bra L;" + repeat(4, "mov.f32 %f3, %f1; mov.f32 %f3, %f2;") + repeat(8, kSum));
  add("an atomic", "@%p1 bra L; red.global.add.u32 [%rd5], %r1;");
  add("a shuffle", "@%p1 bra L; shfl.sync.down.b32 %r10, %r1, 1, 31, -1; add.s32 %r9, %r9, %r10;");
  add("a vote",
      "@%p1 bra L; vote.sync.any.pred %p3, %p2, -1; selp.b32 %r10, 1, 0, %p3; add.s32 %r9, %r9, %r10;");
  add("a fence", "@%p1 bra L; membar.gl;" + kSum);
  add("a barrier", "@%p1 bra L; bar.sync 0;" + kSum);
  for (const int n : {17, 21})
    add("an asynchronous copy", "@%p1 bra L; cp.async.ca.shared.global [%r8], [%rd4], 4;" + repeat(n, kSum));
  for (const int n : {2, 8, 9})
    add("a branch in a branch",
        "@%p1 bra L; add.f32 %f3, %f3, %f1; @%p2 bra I;" + repeat(n, kSum) + "I: add.f32 %f3, %f3, %f1;");
  for (const int n : {1, 8, 9, 30})
    add("two conditions", "@%p1 bra L; setp.lt.f32 %p3, %f1, 0f40000000; @%p3 bra L;" + repeat(n, kSum));
  add("two conditions and a read",
      "@%p1 bra L; setp.lt.f32 %p3, %f1, 0f40000000; @%p3 bra L;" + kRead + repeat(16, kSum));
  add("a condition that is computed",
      "@%p1 bra L; add.f32 %f5, %f1, %f3; mul.f32 %f5, %f5, %f5; setp.lt.f32 %p3, %f5, 0f40000000; @%p3 bra "
      "L;" +
          kSum);
  add("work before the second condition",
      "@%p1 bra L; fma.rn.f32 %f3, %f1, %f3, %f3; setp.lt.f32 %p3, %f3, 0f40000000; @%p3 bra L;" + kSum);
  add("a read before the second condition",
      "@%p1 bra L; ld.global.f32 %f4, [%rd4+512]; setp.lt.f32 %p3, %f4, 0f40000000; @%p3 bra L;" + kSum);
  return all;
}

class PredicationTest : public KernelTest {
 protected:
  /// Conditional branches that the machine takes for such, of a kernel that is only loaded.
  long branches(const std::string& body, const std::string& target = "sm_80") {
    std::string module = module_of(loop(body), kShared);
    module.replace(module.find("sm_80"), 5, target);
    const u32 function = device_.load_module(module, {}).functions.at(0).id;
    const auto& info = device_.instructions_of(function);
    return std::count_if(info.begin(), info.end(), [](const InstructionInfo& in) {
      return in.traits.flow == Flow::kBranch && in.guard != Guard::kNone && in.predication.until == 0;
    });
  }
  static inline const std::string kShared = ".shared .align 16 .b8 fixed[4096];\n";
};

// Breaks when ptxas and the machine disagree about what stays a branch.
TEST_F(PredicationTest, AsPtxasDoes) {
  long predicated = 0;
  for (const Form& form : forms()) {
    constexpr u64 kBranch = 0x947;
    const auto theirs = machine_code_of(module_of(loop(form.body), kShared));
    const auto stays = std::count_if(theirs.begin(), theirs.end(), [](const MachineInstruction& in) {
      return in.opcode() == kBranch && in.has_predicate();
    });
    EXPECT_EQ(branches(form.body), stays) << form.name << ": " << form.body;
    predicated += stays == 1;
  }
  EXPECT_GT(predicated, 12);
}

TEST_F(PredicationTest, NotInDebugCode) {
  EXPECT_EQ(branches("@%p1 bra L;" + kSum), 1);
  EXPECT_EQ(branches("@%p1 bra L;" + kSum, "sm_80, debug"), 2);
}

/// Cycles of one warp that reads 8 elements, each behind a bounds check of its own.
// Breaks when a warp waits for one read before it asks for the next.
TEST_F(PredicationTest, ReadsBehindBoundsChecksOverlap) {
  const auto cycles = [&](const std::string& target) {
    std::string body =
        "setp.gt.u32 %p1, %r1, 1000; mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3;"
        "mov.u32 %r9, 0;";
    for (int i = 0; i < 8; ++i) {
      const std::string n = std::to_string(i), label = "L" + n;
      body += "mov.u32 %r1" + n + ", 0; @%p1 bra " + label + "; ld.global.u32 %r1" + n + ", [%rd4+" +
              std::to_string(i * 4096) + "]; " + label + ": st.shared.u32 [%r8+" + std::to_string(i * 128) +
              "], %r1" + n + ";";
    }
    body = "shl.b32 %r8, %r1, 2; mov.u32 %r7, fixed; add.u32 %r8, %r8, %r7;" + body;
    std::string module = module_of(body, kShared);
    module.replace(module.find("sm_80"), 5, target);
    const u64 in = upload<u32>(std::vector<u32>(8 * 1024));
    Launch launch;
    launch.function = device_.load_module(module, {}).functions.at(0).id;
    launch.grid = {1, 1, 1};
    launch.block = {32, 1, 1};
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &in, 8);
    const LaunchResult result = device_.launch(launch);
    EXPECT_FALSE(result.trap) << result.trap->message;
    return result.time.seconds;
  };
  const double predicated = cycles("sm_80"), branched = cycles("sm_80, debug");
  EXPECT_GT(branched, 3 * predicated);
}

}  // namespace
}  // namespace roofline::sim::predication
