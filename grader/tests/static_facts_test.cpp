// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "grader/base/file.h"
#include "grader/box/process.h"
#include "grader/build/toolkit.h"

// What makes the reference solutions fast can be read in what the compiler made of them, without a device:
// how wide the accesses are, how many FMAs stand between load and store, that nothing is spilled. The
// instructions come from nvcc's PTX, registers and spills from `ptxas -v`.
namespace roofline::grader::static_facts {
namespace {

namespace fs = std::filesystem;

/// A kernel, and how often each opcode must stand in it. An opcode is matched up to a dot: "st.global" counts
/// "st.global.v4.f32" too, and "v4" after a blank must be among its parts: "ld.global v4".
struct Kernel {
  std::string name;    ///< part of its mangled name
  unsigned instances;  ///< template instances of that name
  int most_registers;  ///< a thread
  std::map<std::string, size_t> counts;
};

struct Solution {
  std::string file;  ///< below labs/ and solutions/
  std::vector<Kernel> kernels;
  int stack = 0;  ///< bytes that a thread may have for arrays; cosf keeps the digits of 2/pi there
};

const std::vector<Solution>& solutions() {
  static const std::vector<Solution> list = {
      // One 16-byte load and store for four elements; two blocks of 256 threads and more fit on an SM.
      {"01-pointwise/pointwise",
       {{"10vectorised", 1, 32, {{"ld.global v4", 1}, {"st.global v4", 1}}},
        {"6scalar", 1, 32, {{"ld.global", 1}, {"st.global", 1}, {"fma", 1}}}}},
      {"02-intensity/intensity", {{"10vectorised", 10, 32, {{"ld.global v4", 1}, {"st.global v4", 1}}}}},
      {"03-fusion/cosine", {{"13cosine_kernel", 1, 32, {{"st.global", 1}}}}, 32},
      // x, bias and residual in, y out.
      {"03-fusion/residual", {{"10vectorised", 1, 32, {{"ld.global v4", 3}, {"st.global v4", 1}}}}},
      // A warp's 64 x 64 of C: 4 + 4 fragments are loaded for each 16 products, in 4 steps of 16 along K, and
      // the last step's products come behind the loop. 36 asynchronous copies of 16 bytes: 12 pieces a thread
      // for each of three stages.
      {"04-gemm/gemm",
       {{"7productILb1E",
         1,
         255,
         {{"wmma.mma", (4 + 1) * 16}, {"wmma.load.a", 4 * 4}, {"wmma.load.b", 4 * 4}, {"cp.async.cg", 36}}},
        {"7productILb0E", 1, 255, {{"wmma.mma", (4 + 1) * 16}, {"cp.async.cg", 0}}}}},
      {"05-launch/launch",
       {{"diffuse", 4, 32, {{"ld.global", 3}, {"st.global", 1}}},
        {"react", 4, 32, {{"ld.global", 1}, {"st.global", 1}}}}},
      // The FP32 product: 16 floats a thread and step of 16 along K.
      {"06-memory/recompute",
       {{"8multiply", 3, 64, {{"ld.global v4", 2}, {"ld.shared v4", 32}, {"fma", 256}, {"st.global v4", 4}}},
        {"12relu_dropoutE", 1, 32, {{"ld.global v4", 1}, {"st.global v4", 1}}}}},
      {"06-memory/swap", {{"8multiply", 3, 64, {{"ld.global v4", 2}, {"fma", 256}}}}},
  };
  return list;
}

std::string run(std::vector<std::string> command) {
  const CommandResult result = run_command(command, {.output_limit = 1 << 20});
  EXPECT_TRUE(result.ok()) << command[0] << ": " << result.output;
  return result.output;
}

/// The PTX of a solution, and what ptxas said of it.
struct Compiled {
  std::string ptx, usage;
};

Compiled compile(const std::string& file, int capability) {
  const fs::path root = ROOFLINE_SOURCE, nvcc = find_toolkit().nvcc();
  const std::string number = std::to_string(capability), name = fs::path(file).filename();
  const fs::path ptx =
      fs::path(testing::TempDir()) / (name + "-" + number + "-" + std::to_string(::getpid()) + ".ptx");
  run({nvcc, "-std=c++20", "-O3", "-I" + (root / "labs" / file).parent_path().string(),
       "-I" + (root / "common").string(), "-ptx", "-arch=compute_" + number, "-o", ptx,
       root / "solutions" / (file + ".cu")});
  Compiled compiled;
  compiled.usage = run({nvcc.parent_path() / "ptxas", "-v", "-arch=sm_" + number, "-o", "/dev/null", ptx});
  compiled.ptx = read_file(ptx);
  fs::remove(ptx);
  return compiled;
}

/// Mangled name and instructions of every kernel.
std::map<std::string, std::vector<std::string>> kernels_of(const std::string& ptx) {
  std::map<std::string, std::vector<std::string>> kernels;
  std::istringstream text(ptx);
  std::vector<std::string>* current = nullptr;
  for (std::string line; std::getline(text, line);) {
    if (const size_t at = line.find(".entry "); at != std::string::npos) {
      const size_t begin = at + 7;
      current = &kernels[line.substr(begin, line.find_first_of("( \t", begin) - begin)];
    } else if (line.starts_with("}")) {
      current = nullptr;
    } else if (current != nullptr) {
      std::istringstream words(line);
      std::string opcode;
      words >> opcode;
      if (opcode.starts_with("@")) words >> opcode;
      current->push_back(opcode);
    }
  }
  return kernels;
}

bool matches(const std::string& opcode, const std::string& pattern) {
  const std::string start = pattern.substr(0, pattern.find(' '));
  if (!opcode.starts_with(start) || (opcode.size() > start.size() && opcode[start.size()] != '.'))
    return false;
  return pattern.find(' ') == std::string::npos ||
         opcode.find("." + pattern.substr(start.size() + 1)) != std::string::npos;
}

size_t count(const std::vector<std::string>& opcodes, const std::string& pattern) {
  size_t n = 0;
  for (const std::string& opcode : opcodes) n += matches(opcode, pattern);
  return n;
}

/// The whole number before `words`.
int before(const std::string& text, const std::string& words) {
  const size_t end = text.find(words);
  if (end == std::string::npos) return -1;
  return std::atoi(text.c_str() + text.find_last_not_of("0123456789", end - 1) + 1);
}

/// What ptxas says of one kernel.
std::string usage_of(const std::string& usage, const std::string& kernel) {
  const size_t begin = usage.find("Function properties for " + kernel);
  return begin == std::string::npos ? "" : usage.substr(begin, usage.find("Compil", begin) - begin);
}

class StaticFacts : public testing::TestWithParam<int> {};

TEST_P(StaticFacts, OfTheReferenceSolutions) {
  for (const Solution& solution : solutions()) {
    const Compiled compiled = compile(solution.file, GetParam());
    const auto kernels = kernels_of(compiled.ptx);
    for (const auto& [name, opcodes] : kernels) {
      const std::string usage = usage_of(compiled.usage, name);
      SCOPED_TRACE(solution.file + ", " + name + ": " + usage);
      EXPECT_EQ(before(usage, " bytes spill stores"), 0);
      EXPECT_EQ(before(usage, " bytes spill loads"), 0);
      EXPECT_GE(before(usage, " bytes stack frame"), 0);
      EXPECT_LE(before(usage, " bytes stack frame"), solution.stack);
    }
    for (const Kernel& expected : solution.kernels) {
      unsigned instances = 0;
      for (const auto& [name, opcodes] : kernels) {
        if (name.find(expected.name) == std::string::npos) continue;
        SCOPED_TRACE(solution.file + ", " + name);
        ++instances;
        const int registers = before(usage_of(compiled.usage, name), " registers");
        EXPECT_GT(registers, 0);
        EXPECT_LE(registers, expected.most_registers);
        for (const auto& [pattern, times] : expected.counts)
          EXPECT_EQ(count(opcodes, pattern), times) << pattern;
      }
      EXPECT_EQ(instances, expected.instances) << solution.file << ' ' << expected.name;
    }
  }
}

// Lab 02: between the 16-byte load and the store stand four times `repeat` FMAs and no jump: nothing was
// folded, nothing left in a loop.
TEST_P(StaticFacts, EveryRepeatIsAnFma) {
  const auto kernels = kernels_of(compile("02-intensity/intensity", GetParam()).ptx);
  for (unsigned repeat = 1; repeat <= 512; repeat *= 2) {
    const std::string instance = "10vectorisedILi" + std::to_string(repeat) + "E";
    bool found = false;
    for (const auto& [name, opcodes] : kernels) {
      if (name.find(instance) == std::string::npos) continue;
      found = true;
      const auto at = [&](const std::string& pattern) {
        return std::ranges::find_if(opcodes, [&](const auto& opcode) { return matches(opcode, pattern); });
      };
      const auto load = at("ld.global v4"), store = at("st.global v4");
      ASSERT_LT(load - opcodes.begin(), store - opcodes.begin()) << name;
      const std::vector<std::string> between(load, store);
      EXPECT_EQ(count(between, "fma.rn"), 4 * repeat) << name;
      EXPECT_EQ(count(between, "bra"), 0U) << name;
    }
    EXPECT_TRUE(found) << instance;
  }
}

INSTANTIATE_TEST_SUITE_P(Capability, StaticFacts, testing::Values(80, 90),
                         [](const auto& given) { return "sm_" + std::to_string(given.param); });

// The reader itself: a pattern that matches nothing would hide a fact that no longer holds.
TEST(StaticFactsReader, ReadsPtxAndUsage) {
  const auto kernels = kernels_of(
      ".visible .entry first(\n.param .u64 a\n)\n{\n\tld.global.v4.f32 {%f1}, [%rd1];\n\t@%p1 bra $L1;\n"
      "\tld.global.nc.f32 %f2, [%rd2];\n}\n.visible .entry second(\n)\n{\n\tret;\n}\n");
  ASSERT_EQ(kernels.size(), 2U);
  const auto& first = kernels.at("first");
  EXPECT_EQ(count(first, "ld.global"), 2U);
  EXPECT_EQ(count(first, "ld.global v4"), 1U);
  EXPECT_EQ(count(first, "bra"), 1U);
  EXPECT_EQ(count(first, "ld.glob"), 0U);
  const std::string usage = "Function properties for k\n    8 bytes stack frame, 4 bytes spill stores\n";
  EXPECT_EQ(before(usage_of(usage, "k"), " bytes spill stores"), 4);
  EXPECT_EQ(before(usage, " registers"), -1);
}

}  // namespace
}  // namespace roofline::grader::static_facts
