// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/build/sealed.h"
#include "grader/formats/json.h"
#include "grader/judge/diagnosis.h"
#include "grader/judge/sealed_answers.h"
#include "grader/judge/workbench.h"
#include "grader/lab/generate.h"
#include "grader/lab/selection.h"
#include "grader/result/result_text.h"
#include "grader/text/terminal.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kDraws = 999'999;  // short enough to be read aloud

/// The part that was named, or the first that asks about sealed programs.
Chosen part_about_sealed(const std::vector<Lab>& labs, const std::string& word) {
  std::string having;
  for (const Chosen& part : all_parts(labs)) {
    if (!part.part->about_sealed) continue;
    if (word.empty()) return part;
    having += (having.empty() ? "" : ", ") + part.lab->number();
  }
  if (!word.empty())
    for (const Chosen& part : select(labs, {word}))
      if (part.part->about_sealed) return part;
  throw UsageError((word.empty() ? std::string("no lab here") : "lab " + word) +
                   " has no programs without source" + (having.empty() ? "" : "; these have: " + having));
}

/// The number that all of a learner's programs are drawn from: the one that was given, else the one that was
/// drawn here, else that of the file (which came with a clone), else a new one. 0 in `written`: no file.
std::uint64_t draw_of(const DiagnoseRequest& request, const fs::path& kept, std::uint64_t written) {
  if (request.draw != 0) return request.draw;
  std::error_code ignored;
  if (request.file.empty() && fs::is_regular_file(kept, ignored))
    if (const auto draw = std::strtoull(read_file(kept).c_str(), nullptr, 10); draw != 0) return draw;
  return written != 0 ? written : 1 + entropy() % kDraws;
}

/// What is judged, and of which programs.
struct Handed {
  std::string text, shown;  ///< of the file
  DiagnosisFile file;
  std::uint64_t draw = 0;
};

/// The file with its draw, where it has none yet; an older copy may have no file.
std::string with_draw(const std::string& text, std::uint64_t draw, unsigned count) {
  static const std::regex kNone(R"((^|\n)(\s*draw\s*=\s*)0\b)");
  if (text.empty()) return unanswered_diagnosis(draw, count);
  return std::regex_replace(text, kNone, "$1$02" + std::to_string(draw),
                            std::regex_constants::format_first_only);
}

/// Reads the answers; a learner who has no programs yet gets a draw that stays.
Handed handed(const DiagnoseRequest& request, const fs::path& answers, unsigned count, const Paths& paths) {
  const fs::path kept = paths.state / "draw";
  std::error_code ignored;
  Handed given;
  given.shown = paths.shown(answers);
  if (fs::exists(answers, ignored)) {
    given.text = read_given(answers);
    given.file = read_diagnosis(given.text, given.shown, count);
  }
  given.draw = draw_of(request, kept, given.file.draw);
  if (given.file.draw == 0) {
    given.text = with_draw(given.text, given.draw, count);
    given.file = read_diagnosis(given.text, given.shown, count);
    if (request.file.empty()) write_file(answers, given.text);
  }
  if (request.file.empty()) write_file(kept, std::to_string(given.draw) + "\n");
  return given;
}

std::string line_of(const Check& check, const Terminal& terminal) {
  constexpr int kWidth = 9;
  const Colour colour = check.verdict == Verdict::kPass   ? Colour::kGreen
                        : check.verdict == Verdict::kFail ? Colour::kRed
                                                          : Colour::kDim;
  return terminal.paint(colour, pad_right(name_of(check.verdict), kWidth)) + check.message;
}

/// What it came to, and what to do next.
void print_ending(const Result& result, const std::string& next) {
  const auto right = std::ranges::count_if(result.checks, [](const Check& check) {
    return check.kind == CheckKind::kCorrectness && check.verdict == Verdict::kPass;
  });
  std::printf("  %td of %zu diagnosed, %u pass; draw %llu\n", right, result.checks.size() - 1, kDiagnosed,
              static_cast<unsigned long long>(result.seed));
  if (const Check& answers = result.checks.front(); answers.reason == Class::kWrongPrediction)
    std::printf("  note    %s\n", answers.message.c_str());
  if (result.verdict != Verdict::kPass) std::printf("%s", next.c_str());
}

}  // namespace

int diagnose_verb(const Paths& paths, const DiagnoseRequest& request) {
  if (!request.file.empty()) require_file(request.file);
  if (!request.json.empty()) require_place(request.json);
  const std::vector<Lab>& labs = all_labs();
  const Chosen part = part_about_sealed(labs, request.lab);
  const std::vector<SealedProgram> sealed = sealed_of(part, paths);
  const auto count = static_cast<unsigned>(sealed.size());
  const bool own = request.file.empty();
  const fs::path file = own ? part.file(paths) : fs::absolute(request.file);
  const fs::path programs =  // several answers of others may be judged at a time
      own ? paths.results() / kSealedFolder
          : paths.cache() / kSealedFolder / ("theirs-" + std::to_string(getpid()));
  const Handed given = handed(request, file, count, paths);
  std::printf("  %u programs without source%s, simulated %s\n", count,
              own ? (", " + paths.shown(programs / "01") + " to " + program_number(count - 1)).c_str() : "",
              kDiagnosisDevice);
  const Answers answers{.text = given.text,
                        .name = given.shown,
                        .draw = given.draw,
                        .folder = programs,
                        .on_check = [&](const Check& check) {
                          std::printf("  %s  %s\n", check.id.substr(check.id.rfind('-') + 1).c_str(),
                                      line_of(check, Terminal::of(STDOUT_FILENO)).c_str());
                          std::fflush(stdout);
                        }};
  const Result result = judge_answers(
      part, answers, sealed, paths, Workbench(paths, std::string("sim:") + kDiagnosisDevice).device_record());
  if (!own) fs::remove_all(programs);
  const std::string fresh = "  next    ./lab reset " + part.id() + " gives you an empty file for these\n";
  print_ending(result, own && given.file.draw != given.draw ? fresh
                       : own ? "  next    ./lab run --host-time free --counters " +
                                   paths.shown(programs / "01") + "; answers go into " + given.shown +
                                   ", and ./lab grade " + part.id() + " grades them\n"
                             : "");
  if (!request.json.empty()) write_file(request.json, to_json({result}));
  return exit_status(result);
}

}  // namespace roofline::grader
