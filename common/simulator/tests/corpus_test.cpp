// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What nvcc makes of the CUDA headers' functions (tests/corpus/*.cu): all of it parses, and every spelling
// either has a row in the instruction table or stands in corpus/unsupported.txt.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "simulator/isa/row.h"
#include "simulator/ptx/parser.h"

namespace roofline::sim {
namespace {

namespace fs = std::filesystem;

const fs::path kCorpus = fs::path(SIMULATOR_SOURCE) / "tests/corpus";

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The PTX of one corpus file, kept in the build tree until the source is newer.
ptx::Module compiled(const std::string& name, const std::string& architecture) {
  const fs::path source = kCorpus / (name + ".cu");
  const fs::path directory = fs::path(SIMULATOR_BUILD) / "corpus-test";
  fs::create_directories(directory);
  const std::string base = (directory / (name + "-" + architecture)).string();
  const fs::path output = base + ".ptx";
  if (!fs::exists(output) || fs::last_write_time(output) < fs::last_write_time(source)) {
    const std::string mine = base + "-" + std::to_string(getpid());
    const std::string command = std::string(CUDA_HOME) +
                                "/bin/nvcc -std=c++17 -w -ptx -arch=" + architecture + " -o " + mine + " " +
                                source.string();
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    fs::rename(mine, output);
  }
  return ptx::parse(contents(output), output.filename().string());
}

std::string spelling_of(const ptx::Instruction& instruction) {
  std::string spelling = instruction.opcode;
  for (const std::string& modifier : instruction.modifiers) spelling.append(".").append(modifier);
  return spelling;
}

struct Corpus {
  const char* file;
  const char* architecture;
  std::size_t instructions;  ///< at least: an empty file would prove nothing
};
constexpr Corpus kCompiled[] = {{"half", "compute_80", 1500},  {"half", "compute_90", 1500},
                                {"math", "compute_80", 5000},  {"warp", "compute_80", 900},
                                {"groups", "compute_80", 700}, {"groups", "compute_90", 700},
                                {"matrix", "compute_80", 500}, {"library", "compute_90", 100}};

class CorpusTest : public testing::TestWithParam<Corpus> {};

// Breaks when nvcc's output for a header's function no longer parses.
TEST_P(CorpusTest, Parses) {
  const ptx::Module module = compiled(GetParam().file, GetParam().architecture);
  std::size_t instructions = 0;
  for (const ptx::Function& function : module.functions) {
    instructions += function.instructions.size();
    EXPECT_TRUE(function.has_body || !function.is_entry) << function.name;
  }
  EXPECT_GE(instructions, GetParam().instructions);
}

INSTANTIATE_TEST_SUITE_P(Headers, CorpusTest, testing::ValuesIn(kCompiled), [](const auto& test) {
  return std::string(test.param.file) + "_" + test.param.architecture;
});

std::vector<std::string> listed() {
  std::vector<std::string> patterns;
  std::istringstream lines(contents(kCorpus / "unsupported.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '#') patterns.push_back(line);
  }
  return patterns;
}

/// "mma.sync.*" stands for every spelling that starts with "mma.sync.".
bool fits(const std::string& spelling, const std::string& pattern) {
  if (!pattern.ends_with('*')) return spelling == pattern;
  return spelling.starts_with(pattern.substr(0, pattern.size() - 1));
}

// Breaks when a spelling of the CUDA headers loses its row, and when one gains a row but is still called
// unsupported.
TEST(Spellings, AreInTheTableOrListedAsUnsupported) {
  std::map<std::string, std::string> missing;  // and where each was seen first
  std::set<std::string> seen;
  for (const Corpus& corpus : kCompiled) {
    const ptx::Module module = compiled(corpus.file, corpus.architecture);
    for (const ptx::Function& function : module.functions) {
      for (const ptx::Instruction& instruction : function.instructions) {
        const std::string spelling = spelling_of(instruction);
        if (instruction.opcode == "call" || !seen.insert(spelling).second) continue;
        isa::Match match;
        if (isa::find(instruction, match) == nullptr) missing.try_emplace(spelling, function.name);
      }
    }
  }
  EXPECT_GT(seen.size(), 400u);
  const std::vector<std::string> patterns = listed();
  for (const auto& [spelling, function] : missing) {
    const auto is_listed = [&](const std::string& pattern) { return fits(spelling, pattern); };
    EXPECT_TRUE(std::any_of(patterns.begin(), patterns.end(), is_listed))
        << spelling << " in " << function << " has no row";
  }
  for (const std::string& pattern : patterns) {
    std::size_t with_row = 0, without_row = 0;
    for (const std::string& spelling : seen) {
      if (fits(spelling, pattern)) ++(missing.contains(spelling) ? without_row : with_row);
    }
    EXPECT_EQ(with_row, 0u) << pattern << " has rows now: remove it from corpus/unsupported.txt";
    EXPECT_GT(with_row + without_row, 0u)
        << pattern << " occurs nowhere: remove it from corpus/unsupported.txt";
  }
}

}  // namespace
}  // namespace roofline::sim
