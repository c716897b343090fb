// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/prediction.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>

#include "grader/base/printable.h"
#include "grader/base/toml.h"
#include "grader/base/units.h"
#include "grader/call/worker_process.h"
#include "grader/judge/answer.h"

namespace roofline::grader {
namespace {

constexpr double kUnitSlip = 500;  // an answer further off than this is thought to be in another unit

/// Why a file is no list of answers, before a parser sees it: one that follows keys down their dots would
/// need a stack as deep as the file is long.
std::string too_much(const std::filesystem::path& file) {
  constexpr std::uintmax_t kMostBytes = 64 << 10;
  constexpr std::ptrdiff_t kMostLines = 1000, kMostLevels = 32;
  if (!std::filesystem::is_regular_file(file)) return "it is no file";
  if (std::filesystem::file_size(file) > kMostBytes) return "it is larger than 64 KiB";
  std::ptrdiff_t lines = 0;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line); ++lines) {
    const auto levels = std::ranges::count_if(line, [](char c) { return c == '.' || c == '[' || c == '{'; });
    if (levels > kMostLevels && line.find_first_not_of(" \t") != line.find('#'))
      return "line " + std::to_string(lines + 1) + " has more dots and brackets than an answer";
  }
  return lines > kMostLines ? "it has more than 1000 lines" : "";
}

/// What the file says, or why it cannot be read.
struct AnswersInFile {
  toml::table table;
  std::string broken;
  unsigned line = 0;  ///< where it is broken; 0: the file as a whole

  /// nullptr where there is none, or "".
  const toml::node* to(const Prediction& question) const {
    const toml::node* node = table.get(question.key);
    return node != nullptr && node->value<std::string>() != "" ? node : nullptr;
  }
};

AnswersInFile read_answers(const std::filesystem::path& file) {
  AnswersInFile answers;
  if (!std::filesystem::exists(file)) return answers;
  try {
    answers.broken = too_much(file);
    if (answers.broken.empty()) answers.table = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    answers.line = error.source().begin.line;
    answers.broken = printable(error.description());
  }
  return answers;
}

Check not_answered(const Prediction& asked) {
  return {.id = "prediction-" + asked.key,
          .title = asked.question,
          .kind = CheckKind::kPrediction,
          .verdict = Verdict::kSkipped,
          .reason = Class::kNotAnswered,
          .message = asked.key + " has no answer yet"};
}

void decide(Check& check, bool right, const std::string& said, const std::string& hint) {
  check.verdict = right ? Verdict::kPass : Verdict::kFail;
  check.reason = right ? Class::kNone : Class::kWrongPrediction;
  check.message = right ? "you said " + said : "you said " + said + hint;
}

void grade_number(Check& check, const Prediction& asked, double answer) {
  const double ratio = answer / asked.expected;
  const bool right = std::isfinite(ratio) && ratio <= asked.factor && ratio >= 1 / asked.factor;
  const std::string unit = asked.unit.empty() ? "" : " " + asked.unit;
  // The direction only: the answer stays the learner's to find. A factor of 1000 is a slip of the unit.
  std::string hint = !(ratio > 0) ? ": not a possible value" : ratio > 1 ? ": too large" : ": too small";
  if (!unit.empty() && (ratio > kUnitSlip || (ratio > 0 && ratio < 1 / kUnitSlip)))
    hint += " by far; is it in" + unit + "?";
  decide(check, right, format_number("%.4g", answer) + unit, hint);
  check.detail.emplace_back("answer", answer);
}

void grade_answer(Check& check, const Prediction& asked, const toml::node& node) {
  if (const auto text = node.value<std::string>()) {
    if (!asked.word.empty()) {
      decide(check, is_word(*text, asked.word), "\"" + printable(*text) + "\"", ", which is not it");
      return;
    }
    if (const auto number = number_in(*text, asked.unit)) return grade_number(check, asked, *number);
    decide(check, false, "\"" + printable(*text) + "\"",
           ": a number is asked for" + (asked.unit.empty() ? "" : ", in " + asked.unit));
    return;
  }
  const auto value = node.value<double>();
  if (!value || !asked.word.empty()) {
    decide(check, false, "something else",
           asked.word.empty() ? ": a number is asked for" : ": a word in quotes is asked for");
    return;
  }
  grade_number(check, asked, *value);
}

}  // namespace

std::vector<Check> grade_predictions(const std::vector<Prediction>& asked, const std::filesystem::path& file,
                                     const std::string& source_path) {
  std::vector<Check> checks;
  if (asked.empty()) return checks;
  const AnswersInFile answers = read_answers(file);
  for (const Prediction& prediction : asked) {
    Check check = not_answered(prediction);
    if (!answers.broken.empty()) {
      check.verdict = Verdict::kFail;
      check.reason = Class::kWrongPrediction;
      check.message =
          checks.empty()
              ? file.filename().string() + " cannot be read: " + answers.broken +
                    "\nAn answer is a number, or text in quotes: 0.25, \"1/4\", \"345 us\", \"memory\"."
              : "not graded: " + file.filename().string() + " cannot be read";
      check.file = (std::filesystem::path(source_path).parent_path() / file.filename()).string();
      check.line = answers.line;
    } else if (const toml::node* node = answers.to(prediction)) {
      grade_answer(check, prediction, *node);
    }
    checks.push_back(std::move(check));
  }
  return checks;
}

std::vector<Prediction> unanswered(const std::vector<Prediction>& asked, const std::filesystem::path& file) {
  std::vector<Prediction> open;
  if (asked.empty()) return open;
  const AnswersInFile answers = read_answers(file);
  if (!answers.broken.empty()) return open;
  for (const Prediction& question : asked)
    if (answers.to(question) == nullptr) open.push_back(question);
  return open;
}

}  // namespace roofline::grader
