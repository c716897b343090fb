// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/similarity/code_text.h"

#include <sstream>

namespace roofline::grader {
namespace {

/// Shorter than a passage: a student's line between two given ones leaves their ends as short as this.
constexpr std::size_t kGivenRun = 8;

std::uint64_t mixed(std::uint64_t hash, std::uint32_t kind) {
  hash = (hash ^ kind) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 29);
}

/// `kind_at(i)` is the i-th word of `size`.
template <typename KindAt>
std::vector<std::uint64_t> runs_of(std::size_t size, std::size_t length, KindAt kind_at) {
  std::vector<std::uint64_t> runs;
  for (std::size_t at = 0; at + length <= size; ++at) {
    std::uint64_t hash = length;
    for (std::size_t i = at; i < at + length; ++i) hash = mixed(hash, kind_at(i));
    runs.push_back(hash);
  }
  return runs;
}

std::vector<std::uint64_t> given_runs(const std::vector<Token>& tokens) {
  return runs_of(tokens.size(), kGivenRun, [&](std::size_t i) { return tokens[i].kind; });
}

}  // namespace

void GivenCode::add(std::string_view text) {
  for (const std::uint64_t run : given_runs(tokens_of(text))) runs_.insert(run);
}

std::vector<bool> GivenCode::marks(const std::vector<Token>& tokens) const {
  std::vector<bool> given(tokens.size(), false);
  const std::vector<std::uint64_t> runs = given_runs(tokens);
  for (std::size_t at = 0; at < runs.size(); ++at)
    if (runs_.contains(runs[at]))
      for (std::size_t i = at; i < at + kGivenRun; ++i) given[i] = true;
  return given;
}

std::string code_of_page(std::string_view markdown) {
  std::istringstream lines{std::string(markdown)};
  std::string code;
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```"))
      fenced = !fenced;
    else if (fenced || line.starts_with("    "))
      code += line + "\n";
  }
  return code;
}

CodeText read_code(std::string text, const GivenCode& given) {
  CodeText program;
  program.text = std::move(text);
  program.tokens = tokens_of(program.text);
  const std::vector<bool> marks = given.marks(program.tokens);
  for (std::size_t i = 0; i < program.tokens.size(); ++i)
    if (!marks[i]) program.own.push_back(i);
  program.runs = runs_of(program.own.size(), kPassage,
                         [&](std::size_t i) { return program.tokens[program.own[i]].kind; });
  return program;
}

}  // namespace roofline::grader
