// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "grader/base/file.h"
#include "grader/base/formula.h"
#include "grader/base/given_file.h"
#include "grader/base/toml_table.h"
#include "grader/box/process.h"
#include "grader/build/toolkit.h"
#include "grader/lab/selection.h"
#include "grader/learner/current.h"
#include "grader/learner/quiz.h"
#include "grader/run/run.h"
#include "grader/text/keys.h"
#include "grader/text/table.h"
#include "grader/text/terminal.h"
#include "grader/verbs/verbs.h"

/// labs/NN-name/broken/NAME.cu is a program, NAME.toml what is asked about it (docs/add-a-lab.md).
namespace roofline::grader {
namespace {

namespace fs = std::filesystem;

/// The questions' files, in the order of their names.
std::vector<fs::path> asked_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// "01 03 07"
std::string numbers_with_questions(const std::vector<Lab>& labs, const Paths& paths) {
  std::string numbers;
  for (const Lab& lab : labs)
    if (!asked_in(select(labs, {lab.number()}).front().folder(paths) / "broken").empty())
      numbers += (numbers.empty() ? "" : " ") + lab.number();
  return numbers.empty() ? "none" : numbers;
}

void say(const std::string& text) {
  for (const std::string& line : wrap(text, Terminal::of(STDOUT_FILENO).width - 2))
    std::printf("  %s\n", line.c_str());
  std::printf("\n");
  std::fflush(stdout);
}

fs::path compiled(const fs::path& source, const fs::path& folder) {
  const fs::path program = folder / source.stem();
  const CommandResult nvcc =
      run_command({find_toolkit().nvcc().string(), "-std=c++20", "-O3", "-lineinfo", "-arch=sm_80", "-cudart",
                   "shared", "-o", program.string(), source.string()});
  if (!nvcc.ok()) throw InfrastructureError(source.string() + " does not compile\n" + nvcc.output);
  return program;
}

/// What the first kernel's counters say: totals by name, and the simulated time that each resource takes
/// ("us_L2").
std::map<std::string, double> counted(const fs::path& file) {
  const nlohmann::json run = nlohmann::json::parse(read_file(file));
  const nlohmann::json& kernel = run.at("kernels").at(0);
  std::map<std::string, double> numbers;
  for (const nlohmann::json& bound : kernel.at("bounds")) {
    std::string name = "us_" + bound.at("resource").get<std::string>();
    std::ranges::replace(name, ' ', '_');
    numbers[name] = bound.at("simulated_seconds").get<double>() * 1e6;
  }
  for (const auto& [name, value] : kernel.at("counters").items())
    if (value.is_number()) numbers[name] = value.get<double>();
  return numbers;
}

/// Runs one program, shows what it did, asks; whether all answers were right.
bool ask_about(const fs::path& questions, const Paths& paths, const fs::path& scratch) {
  const std::string name = questions.filename().string();
  const toml::table table = parse_toml(read_given(questions), name);
  const TomlTable top(table, name);
  top.allow_only({"says", "check", "holds", "question"});
  fs::path source = questions;
  source.replace_extension(".cu");
  say(paths.shown(source) + ": " + top.text("says").value_or(""));
  RunOptions run;
  run.simulator = paths.simulator();
  run.shown = "lab broken";
  run.program = compiled(source, scratch).string();
  run.counters = true;
  run.advice = false;  // it would tell
  run.json = scratch / "counters.json";
  run.check = top.text("check").value_or("");
  run_program(run);
  std::printf("\n");
  const std::map<std::string, double> numbers = counted(run.json);
  if (const auto holds = top.text("holds"); holds && evaluate(*holds, {.values = numbers}) == 0)
    throw InfrastructureError(paths.shown(questions) +
                              ": its counters no longer show what it asks about: " + *holds);
  const std::vector<QuizQuestion> asked = quiz_of(questions, 1, {}, numbers);
  const std::vector<QuizAnswer> answers = ask_quiz(asked, say, [] {
    if (isatty(STDIN_FILENO) == 1) std::printf("  > ");
    std::fflush(stdout);
    return read_line(STDIN_FILENO);
  });
  return std::ranges::all_of(answers, &QuizAnswer::right);
}

}  // namespace

int broken_verb(const Paths& paths, const std::string& lab) {
  const std::vector<Lab>& labs = all_labs();
  const Chosen part = lab.empty() ? current_part(labs, ProgressFile(paths.state / "progress.json"))
                                  : select(labs, {lab}).front();
  const std::vector<fs::path> files = asked_in(part.folder(paths) / "broken");
  if (files.empty())
    throw UsageError("lab " + part.lab->number() +
                     " has no broken kernel; these have: " + numbers_with_questions(labs, paths));
  const fs::path scratch = paths.cache() / "broken" / part.lab->folder;
  fs::create_directories(scratch);
  bool right = true;
  for (const fs::path& file : files) right = ask_about(file, paths, scratch) && right;
  say(right ? "Found. Now your own: ./lab watch " + part.id()
            : "Not all of it yet; ./lab broken " + part.lab->number() + " asks again.");
  return right ? 0 : 1;
}

}  // namespace roofline::grader
