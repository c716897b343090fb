// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "simulator/isa/row.h"

/// A row of the instruction table is complete: no code outside of isa/ names its opcode or looks for it in
/// the text of an instruction. What such code needs to know is a trait of the row (program/traits.h).
namespace roofline::sim {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(SIMULATOR_SOURCE).parent_path().parent_path();

/// A string literal that is the name of something else, or of the one thing that needs it.
struct Exception {
  const char* file;
  const char* literal;
  const char* reason;
};
constexpr Exception kExceptions[] = {
    {"common/simulator/ptx/function_body.cpp", "call", "the grammar: lists of arguments"},
    {"common/simulator/ptx/function_body.cpp", "bra", "the grammar: a label that is declared later"},
    {"common/simulator/channel/vector_level.h", "fma", "a feature of the host's processor"},
    {"common/simulator/timing/sm_replay.cpp", "barrier", "the profiler's name of a stall"},
    {"grader/profile/trace_file.cpp", "call", "a category in a trace"},
};

/// The rooms whose literals are about instructions; in others "div" is HTML and "max" a number of points.
constexpr const char* kRooms[] = {"common/simulator/ptx",      "common/simulator/program",
                                  "common/simulator/analysis", "common/simulator/machine",
                                  "common/simulator/bind",     "common/simulator/device",
                                  "common/simulator/checks",   "common/simulator/server",
                                  "common/simulator/channel",  "common/simulator/runtime",
                                  "common/simulator/host",     "common/simulator/timing",
                                  "common/simulator/image",    "grader/profile"};

struct Line {
  std::string file;  ///< from the root
  int number = 0;
  std::string code;  ///< without its comment
  std::vector<std::string> literals;
};

/// Takes a line apart; quotes inside of characters and raw strings do not occur in these rooms.
Line line_of(const std::string& file, int number, const std::string& text) {
  Line line{file, number, {}, {}};
  bool quoted = false;
  std::string literal;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!quoted && c == '/' && at + 1 < text.size() && text[at + 1] == '/') break;
    line.code += c;
    const bool is_character = !quoted && c == '\'' && at + 2 < text.size() && text[at + 1] == '"';
    if (is_character) {
      at += 2;
    } else if (c == '"') {
      if (quoted) line.literals.push_back(literal);
      literal.clear();
      quoted = !quoted;
    } else if (quoted) {
      literal += c;
      if (c == '\\' && at + 1 < text.size()) literal += text[++at];
    }
  }
  return line;
}

/// Every line of sources below a folder, without tests.
std::vector<Line> lines_below(const fs::path& folder) {
  std::vector<Line> lines;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const fs::path& path = entry.path();
    const std::string name = fs::relative(path, kRoot).generic_string();
    if ((path.extension() != ".cpp" && path.extension() != ".h") || name.find("/tests/") != name.npos)
      continue;
    std::ifstream in(path);
    int number = 0;
    for (std::string text; std::getline(in, text);) lines.push_back(line_of(name, ++number, text));
  }
  return lines;
}

std::string place(const Line& line) { return line.file + ":" + std::to_string(line.number); }

bool is_excepted(const Line& line, const std::string& literal, std::set<const Exception*>& used) {
  for (const Exception& known : kExceptions)
    if (line.file == known.file && literal == known.literal) return used.insert(&known), true;
  return false;
}

/// The opcode that a literal is or begins with: "bra", "bar.", "div.rn.f32". Sentences are none.
std::string opcode_in(std::string literal, bool only_spellings) {
  static const std::set<std::string_view> opcodes = [] {
    std::set<std::string_view> all;
    for (const isa::Row& row : isa::rows()) all.insert(isa::opcode_of(row));
    return all;
  }();
  if (literal.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789.:@!") != literal.npos) return "";
  literal.erase(0, literal.find_first_not_of("@!"));
  const auto dot = literal.find('.');
  if (only_spellings && dot == literal.npos) return "";
  const std::string opcode = literal.substr(0, dot);
  return opcodes.contains(opcode) ? opcode : "";
}

// Broken by code that knows an opcode: it is wrong the day a row is added that does the same.
TEST(Opcodes, NothingElseNamesThem) {
  std::set<const Exception*> used;
  for (const char* room : kRooms)
    for (const Line& line : lines_below(room))
      for (const std::string& literal : line.literals)
        if (!opcode_in(literal, false).empty() && !is_excepted(line, literal, used))
          ADD_FAILURE() << place(line) << ": \"" << literal
                        << "\" names an opcode; what the code must know is a trait (program/traits.h)";
  for (const Exception& known : kExceptions)
    EXPECT_TRUE(used.contains(&known)) << "no longer needed: " << known.file << ": " << known.literal;
}

// The rest of the grader: its words may be opcodes by chance, "cvt.rn.f32" may not.
TEST(Opcodes, NorDoesTheGraderNameASpelling) {
  for (const Line& line : lines_below("grader"))
    for (const std::string& literal : line.literals) {
      const bool is_file = literal.ends_with(".cpp") || literal.ends_with(".h") || literal.ends_with(".cu");
      if (!is_file && !opcode_in(literal, true).empty())
        ADD_FAILURE() << place(line) << ": \"" << literal << "\" spells an instruction";
    }
}

// Broken by a search in what is meant to be read: `[library]` is no branch. And by code that reads opcodes to
// compare them with something.
TEST(Opcodes, NobodySearchesInTheTextOfAnInstruction) {
  const std::regex search(
      R"(\b(info(_at)?(\([^()]*\)|\[[^\]]*\])?|in|instruction(\([^()]*\))?|line|worst|\w*[iI]nstruction)(\.|->)(text|ptx))"
      R"((\.|->)(find|rfind|starts_with|ends_with|contains|substr|compare|at)\w*\()");
  const std::regex reads_opcode(R"((\.|->)opcode\b(?! = ))");
  // The parser fills it, messages spell it out.
  const std::set<std::string> may_read = {"common/simulator/ptx/function_body.cpp",
                                          "common/simulator/program/instruction_text.cpp"};
  for (const char* room : {"common/simulator", "grader"})
    for (const Line& line : lines_below(room)) {
      const auto names = [&](const char* word) { return line.code.find(word) != line.code.npos; };
      const bool is_clean = !names("text") && !names("ptx") && !names("opcode");
      if (is_clean || line.file.starts_with("common/simulator/isa/")) continue;
      EXPECT_FALSE(std::regex_search(line.code, search)) << place(line) << ": " << line.code;
      EXPECT_TRUE(may_read.contains(line.file) || !std::regex_search(line.code, reads_opcode))
          << place(line) << ": " << line.code;
    }
}

// Broken by a test that no longer sees what it looks for.
TEST(Opcodes, TheTestKnowsThemWhenItSeesThem) {
  const Line line = line_of("f", 1, R"(  if (s == "bra" || s.find("bar.") != 0) return '"';  // "add")");
  EXPECT_EQ(line.literals, (std::vector<std::string>{"bra", "bar."}));
  for (const char* literal : {"bra", "bar.", "div.rn.f32", "@bra", "cp.async.wait_"})
    EXPECT_NE(opcode_in(literal, false), "") << literal;
  for (const char* literal : {"library", "cp.async copies in the background", "Sum"})
    EXPECT_EQ(opcode_in(literal, false), "") << literal;
}

}  // namespace
}  // namespace roofline::sim
