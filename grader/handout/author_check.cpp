// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/author_check.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "grader/base/file.h"
#include "grader/base/units.h"
#include "grader/lab/hints.h"
#include "grader/lab/spec_files.h"
#include "grader/lab/submission_file.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr size_t kFewestHints = 3;
constexpr double kMargin = 0.05;

/// Files below `folder`, relative to it; nothing when there is no such folder.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error))
    if (!it->is_directory(error)) result.push_back(it->path().lexically_relative(folder));
  std::sort(result.begin(), result.end());
  return result;
}

/// In wrong/, as a whole or as a patch, or in variants/.
bool is_submission(const fs::path& file, const Part& part) {
  const fs::path folder = file.parent_path();
  return (folder == versions_of(part, "wrong") && is_version_of(file, part.program.source)) ||
         (folder == versions_of(part, "variants") && file.extension() == ".cu");
}

/// In instead/ (of its part): for ./lab bench, never graded.
bool is_for_bench(const fs::path& file, const Part& part) {
  return file.parent_path() == versions_of(part, "instead") && file.extension() == ".cu";
}

/// What a lab's page may bring along, if it mentions it: pictures, and programs for ./lab run.
bool is_exhibit(const fs::path& file) {
  return file.extension() == ".svg" || file.extension() == ".png" || *file.begin() == "experiments" ||
         *file.begin() == "broken";
}

std::string text_of(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) ? read_file(file) : "";
}

class FolderCheck {
 public:
  FolderCheck(const Chosen& chosen, const Paths& paths)
      : chosen_(chosen), paths_(paths), lab_(chosen.folder(paths)), solutions_(chosen.solutions(paths)) {}

  std::vector<std::string> run() {
    const Lab& lab = *chosen_.lab;
    const Program& program = chosen_.part->program;
    for (const std::string& name :
         {lab.theory, lab.hints, std::string("spec.cpp"), program.header, program.source})
      if (!name.empty()) require(lab_ / name);
    require(solutions_ / program.source);
    require(solutions_ / "answer.md");
    if (!chosen_.part->predictions.empty()) {
      require(lab_ / lab.prediction);
      require(solutions_ / lab.prediction);
    }
    hints();
    tasks();
    submissions();
    strays();
    return std::move(faults_);
  }

 private:
  void fault(const fs::path& file, const std::string& what) {
    faults_.push_back(paths_.shown(file) + " " + what);
  }

  void require(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) fault(file, "is missing");
  }

  void hints() {
    const fs::path file = lab_ / chosen_.lab->hints;
    const std::vector<Hint> found = parse_hints(text_of(file));
    if (found.size() < kFewestHints)
      fault(file, "has " + std::to_string(found.size()) + " sections \"## Hint N\", at least " +
                      std::to_string(kFewestHints) + " are needed");
    for (size_t i = 0; i < found.size(); ++i)
      if (found[i].text.empty()) fault(file, "hint " + std::to_string(i + 1) + " is empty");
  }

  /// Every TODO tells how many lines it takes.
  void tasks() {
    const fs::path file = chosen_.file(paths_);
    const std::string text = text_of(file);
    size_t count = 0;
    for (size_t at = text.find("TODO"); at != std::string::npos; at = text.find("TODO", at + 4)) {
      ++count;
      const std::string line = text.substr(at, text.find('\n', at) - at);
      if (line.find("line") == std::string::npos || line.find_first_of("123456789", 6) == std::string::npos)
        fault(file, "has a TODO without a line budget, \"(about 5 lines)\": " + line);
    }
    if (count == 0 && !text.empty()) fault(file, "has no TODO: is it the skeleton?");
    if (text_of(chosen_.solution(paths_)).find("TODO") != std::string::npos)
      fault(chosen_.solution(paths_), "still has a TODO");
  }

  void submissions() {
    size_t wrong = 0;
    for (const fs::path& file : files_below(solutions_)) {
      if (!is_submission(file, *chosen_.part)) continue;
      wrong += *file.begin() == "wrong";
      const auto expected = parse_expectation(text_of(solutions_ / file));
      if (!expected) {
        fault(solutions_ / file, "has no line \"" + std::string(file.extension() == ".cu" ? "//" : "#") +
                                     " expect: ...\" at its beginning");
      } else if (!known(expected->outcome, *file.begin() == "wrong")) {
        fault(solutions_ / file, "expects \"" + expected->outcome + "\", which is no verdict");
      }
      try {
        submission_text(solutions_ / file, paths_);
      } catch (const UsageError& error) {
        faults_.emplace_back(error.what());
      }
    }
    if (wrong == 0) fault(chosen_.versions(paths_, "wrong"), "holds no wrong submission");
  }

  static bool known(const std::string& outcome, bool wrong) {
    if (!wrong)
      return outcome == "none" || std::ranges::find(kMedals, outcome, &MedalRow::name) != std::end(kMedals);
    for (int i = 1; i <= static_cast<int>(Class::kUnsupportedDevice); ++i)
      if (outcome == name_of(static_cast<Class>(i))) return true;
    return false;
  }

  void strays() {
    std::set<std::string> here = {chosen_.lab->theory, chosen_.lab->hints, chosen_.lab->prediction,
                                  "explanations.toml", "quiz.toml"};
    std::set<std::string> there = {chosen_.lab->prediction, "README.md", "answer.md"};
    for (const Part& part : chosen_.lab->parts) {
      here.insert({part.program.header, part.program.source, part.adapter});
      here.insert(part.given.begin(), part.given.end());
      there.insert(part.program.source);
    }
    for (const fs::path& file : spec_files(lab_)) here.insert(file.filename());
    const std::string theory = text_of(lab_ / chosen_.lab->theory);
    for (const fs::path& file : files_below(lab_)) {
      const std::string name = file.generic_string();
      // The page names the program; what is asked about it has the same name.
      const std::string program = fs::path(file).replace_extension(".cu").generic_string();
      const bool asked = *file.begin() == "broken" && file.extension() == ".toml";
      const bool shown = is_exhibit(file) && theory.find(asked ? program : name) != std::string::npos;
      if (!here.contains(name) && !shown && *file.begin() != "tests") stray(lab_ / file);
    }
    for (const fs::path& file : files_below(solutions_))
      if (!there.contains(file.generic_string()) && !belongs_to_a_part(file)) stray(solutions_ / file);
  }

  bool belongs_to_a_part(const fs::path& file) const {
    return std::ranges::any_of(chosen_.lab->parts, [&](const Part& part) {
      return is_submission(file, part) || is_for_bench(file, part) ||
             (part.about_sealed && *file.begin() == kSealedFolder);
    });
  }

  void stray(const fs::path& file) { fault(file, "is a stray file"); }

  const Chosen& chosen_;
  const Paths& paths_;
  fs::path lab_, solutions_;
  std::vector<std::string> faults_;
};

/// A check that failed for the expected reason, in the expected words.
bool says(const Expectation& expected, const Check& check) {
  const std::string said = check.id + "\n" + check.title + "\n" + check.message;
  return name_of(check.reason) == expected.outcome &&
         std::ranges::all_of(expected.words,
                             [&](const std::string& word) { return said.find(word) != std::string::npos; });
}

std::string outcome_of(const Result& result) {
  return std::string(result.reason == Class::kNone ? name_of(result.verdict) : name_of(result.reason));
}

}  // namespace

std::optional<Expectation> parse_expectation(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::optional<Expectation> result;
  std::string needs;
  for (int i = 0; i < 5 && std::getline(lines, line); ++i) {
    if (const std::string rest = directive(line, "expect"); !rest.empty()) {
      std::istringstream words(rest);
      Expectation expected;
      words >> expected.outcome;
      for (std::string word; words >> word;) expected.words.push_back(word);
      if (!expected.outcome.empty()) result = std::move(expected);
    }
    if (const std::string rest = directive(line, "needs"); !rest.empty()) std::istringstream(rest) >> needs;
  }
  if (result) result->needs = needs;
  return result;
}

std::vector<std::string> folder_faults(const Chosen& chosen, const Paths& paths) {
  return FolderCheck(chosen, paths).run();
}

bool is_refused(const Expectation& expected, const std::vector<Check>& checks) {
  const auto failed = [](const Check& check) { return check.verdict == Verdict::kFail; };
  const auto first = std::ranges::find_if(checks, failed);
  if (first == checks.end() || name_of(first->reason) != expected.outcome) return false;
  return std::ranges::any_of(checks,
                             [&](const Check& check) { return failed(check) && says(expected, check); });
}

std::string wrong_fault(const Expectation& expected, const Result& result) {
  if (result.verdict == Verdict::kPass) return "passed, although it is wrong";
  if (result.verdict != Verdict::kFail) return "no verdict: " + outcome_of(result);
  for (const Check& check : result.checks)
    if (check.verdict == Verdict::kFail && says(expected, check))
      return outcome_of(result) == expected.outcome ? "" : "first refused as " + outcome_of(result);
  std::string words;
  for (const std::string& word : expected.words) words += " " + word;
  return "refused as " + outcome_of(result) + ", not as " + expected.outcome + words;
}

std::string variant_fault(const Expectation& expected, const Result& result) {
  if (expected.outcome == "none") {
    const bool correct = std::all_of(result.checks.begin(), result.checks.end(), [](const Check& check) {
      return check.verdict == Verdict::kPass || check.kind == CheckKind::kPerformance;
    });
    if (!correct) return "not correct: " + outcome_of(result);
  } else if (result.verdict != Verdict::kPass) {
    return "did not pass: " + outcome_of(result);
  }
  const std::string medal(name_of(result.medal));
  const std::string wanted = expected.outcome == "none" ? "" : expected.outcome;
  return medal == wanted ? ""
                         : "earned " + (medal.empty() ? "no medal" : medal) + ", not " + expected.outcome;
}

std::string solution_fault(const Result& result) {
  if (result.verdict != Verdict::kPass) return "did not pass: " + outcome_of(result);
  if (result.points < result.max_points) return "did not earn every point";
  for (const Measurement& m : result.measurements) {
    if (!m.graded()) continue;
    const double wanted =
        m.thresholds.highest() + std::min(kMargin, std::max(0.0, 1 - m.thresholds.highest()) / 2);
    if (!(m.fraction >= wanted))
      return m.id + " reached " + fraction_text(m.fraction) + ", the margin asks for " +
             fraction_text(wanted);
  }
  return {};
}

std::string skeleton_fault(const Result& result, bool repair) {
  if (repair) {
    if (result.verdict != Verdict::kFail || result.reason == Class::kNotImplemented ||
        result.reason == Class::kDoesNotCompile)
      return "came to " + outcome_of(result) + ", and should be refused for its bug";
    return result.points == 0 ? "" : "earned points before anything was repaired";
  }
  if (result.verdict == Verdict::kFail && result.reason == Class::kNotImplemented) return {};
  return "came to " + outcome_of(result) + ", not to not-implemented";
}

}  // namespace roofline::grader
