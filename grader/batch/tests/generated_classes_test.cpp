// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Classes drawn at random: names, layouts, archives, attempts, lateness, groups, damage, rules. What intake
// and course make of them is compared with a calculation of a few lines that knows neither
// (generated_class.h). 40 classes; more with ROOFLINE_CLASSES=1000.
#include <cstdlib>

#include "batch_folder.h"
#include "generated_class.h"
#include "grader/batch/batch.h"
#include "grader/batch/class_folder.h"
#include "grader/batch/class_setup.h"
#include "grader/formats/json.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

class GeneratedClass : public Folder, public testing::WithParamInterface<unsigned> {
 protected:
  void SetUp() override {
    Folder::SetUp();
    unpacker_.program = fs::path(ROOFLINE_BUILD) / "bin" / "unpack";
    std::error_code ignored;
    if (!fs::exists(unpacker_.program, ignored)) unpacker_.program.clear();
  }

  /// As a grader would: an outcome for each file, of as many cases as its text says.
  std::vector<HandedIn> run(std::vector<HandedIn> attempts) {
    for (HandedIn& attempt : attempts) {
      const Intake intake = take_in(attempt, parts_, unpacker_);
      attempt.problem = intake.problem;
      const PartFiles& files = intake.parts.at("01");
      if (!files.found) continue;
      const int passed = files.source.starts_with("passed ") ? std::stoi(files.source.substr(7)) : 0;
      const std::string key = "task-" + std::to_string(passed);
      attempt.tasks["01"] = key;
      Result result;
      result.part = "01";
      for (int i = 0; i < 4; ++i) {
        Check& check = result.checks.emplace_back();
        check.id = "case-" + std::to_string(i);
        check.kind = CheckKind::kCorrectness;
        check.verdict = i < passed ? Verdict::kPass : Verdict::kFail;
        check.reason = i < passed ? Class::kNone : Class::kWrongAnswer;
      }
      write_file(BatchFolder{folder_}.outcome(key), to_json({result}));
    }
    return attempts;
  }

  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_ = select(labs_, {"01"});
  Unpacker unpacker_;
};

// Breaks when anybody is lost, mixed up with somebody else, or has another grade than a person would work
// out.
TEST_P(GeneratedClass, HasTheGradesThatOneWorksOut) {
  generated::Class drawn(GetParam());
  if (unpacker_.program.empty() && drawn.layout == generated::Layout::kArchives)
    GTEST_SKIP() << "built without libarchive";
  const std::vector<Student> roster = parse_roster(drawn.roster(), "class.csv");
  Course rules = Course::parse(drawn.course_file(), "course.toml");
  fit_course(rules, parts_, roster);
  const std::vector<HandedIn> attempts = run(
      find_class(drawn.hand_over(folder_, !unpacker_.program.empty()), folder_ / "staging", unpacker_, roster,
                 {.names = declared_names(parts_), .time_zone = rules.late.time_zone, .left_out = {}}));
  const ClassOutcome outcome = settle(BatchFolder{folder_}, attempts, parts_, rules, roster);

  SCOPED_TRACE("layout " + std::to_string(static_cast<int>(drawn.layout)));
  std::size_t absent = 0;
  std::vector<double> strangers, wanted_strangers;
  for (std::size_t p = 0; p < drawn.people.size(); ++p) {
    const generated::Person& person = drawn.people[p];
    const std::size_t submissions = drawn.attempts_of(p).size();
    const bool is_stranger = drawn.is_stranger(person);
    if (submissions == 0 || is_stranger) ++absent;
    if (submissions > 0 && is_stranger) wanted_strangers.push_back(drawn.grade_of(p));
    if (submissions == 0 || is_stranger) continue;
    const auto student = std::ranges::find(outcome.students, person.id, &Graded::id);
    ASSERT_NE(student, outcome.students.end()) << person.id << " " << person.name;
    EXPECT_NEAR(student->points(), drawn.grade_of(p), 0.0051)
        << person.id << " " << person.name << ": " << student->remark;
    EXPECT_EQ(student->submissions, submissions) << person.name;
  }
  for (const Graded* student : outcome.strangers()) strangers.push_back(student->points());
  std::ranges::sort(strangers);
  std::ranges::sort(wanted_strangers);
  ASSERT_EQ(strangers.size(), wanted_strangers.size());
  for (std::size_t i = 0; i < strangers.size(); ++i) EXPECT_NEAR(strangers[i], wanted_strangers[i], 0.0051);
  EXPECT_EQ(outcome.absent.size(), absent);
}

unsigned wanted_classes() {
  const char* wanted = std::getenv("ROOFLINE_CLASSES");
  return wanted != nullptr ? static_cast<unsigned>(std::max(1, std::atoi(wanted))) : 40;
}

INSTANTIATE_TEST_SUITE_P(Drawn, GeneratedClass, testing::Range(1U, wanted_classes() + 1));

}  // namespace
}  // namespace roofline::grader
