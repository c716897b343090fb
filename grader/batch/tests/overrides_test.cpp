// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What people decide about grades: read with lines, applied every time, and one student graded again.
#include "grader/batch/overrides.h"

#include "batch_folder.h"
#include "grader/base/file.h"
#include "grader/batch/regrade.h"
#include "grader/formats/json.h"

namespace roofline::grader::overrides {
namespace {

std::string problem_of(const std::string& text) {
  try {
    parse_overrides(text, "overrides.toml");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

// Breaks when a decision without its maker, or with a slip of the pen, is taken.
TEST(Overrides, MistakesHaveALine) {
  const std::string signed_by = "by = \"G. Hopper\"\nwhen = 2026-12-01\n";
  const std::pair<std::string, std::string> mistakes[] = {
      {"[[override]]\nstudent = \"ada\"\npoints = 5\nwhen = 2026-12-01\n", "line 1: override.by is missing"},
      {"[[override]]\nstudent = \"ada\"\npoints = 5\nby = \"G\"\n", "line 1: override.when is missing"},
      {"[[override]]\nstudent = \"ada\"\npoints = 5\nby = \"G\"\nwhen = \"soon\"\n",
       "line 5: override.when is no day"},
      {"\n[[override]]\nstudent = \"ada\"\n" + signed_by, "line 3: override.student has neither"},
      {"[[override]]\nstudent = \"ada\"\npoints = -5\n" + signed_by,
       "line 3: override.points is not a number"},
      {"[[override]]\nstudent = \"ada\"\npoint = 5\n" + signed_by, "line 3: override.point is not known"},
      {"[[override]]\nstudent = \"ada\"\nlab = \"77\"\npoints = 5\n" + signed_by,
       "line 3: override.lab names no lab"},
      {"[[override]]\nstudent = \"ada\"\nlab = \"03\"\npoints = 5\n" + signed_by,
       "line 3: override.lab has several parts"},
      {"[override]\nstudent = \"ada\"\n", "line 1: override is no [[override]]"},
      {"[[overide]]\nstudent = \"ada\"\n", "line 1: overide is not known"},
  };
  for (const auto& [text, said] : mistakes)
    EXPECT_NE(problem_of(text).find("overrides.toml " + said), std::string::npos) << text << problem_of(text);
  EXPECT_EQ(problem_of("[[override]]\nstudent = \"ada\"\nrelease = true\n" + signed_by), "accepted");
  EXPECT_EQ(problem_of("# nothing yet\n"), "accepted");
}

class Deciding : public Folder {
 protected:
  HandedIn attempt(const std::string& id, const std::string& key, Class reason, Seconds time = 900) {
    Result result;
    result.lab = "01-pointwise";
    result.part = "01";
    for (int i = 0; i < 4; ++i) {
      Check& check = result.checks.emplace_back();
      check.id = "case-" + std::to_string(i);
      const bool failed = i == 0 && reason != Class::kNone;
      check.verdict = failed ? Verdict::kFail : Verdict::kPass;
      check.reason = failed ? reason : Class::kNone;
    }
    write_file(folder().outcome(key), to_json({result}));
    HandedIn attempt;
    attempt.id = attempt.label = id;
    attempt.time = time;
    attempt.tasks["01"] = key;
    return attempt;
  }
  ClassOutcome decided(const std::vector<HandedIn>& attempts, const std::string& text,
                       const std::vector<Student>& roster = {}) {
    Course course;
    course.late.deadline = 1000;
    course.late.percent_per_day = 50;
    ClassOutcome outcome = settle(folder(), attempts, parts_, course, roster);
    apply_overrides(outcome, parse_overrides(text, "overrides.toml"), roster);
    return outcome;
  }
  BatchFolder folder() const { return BatchFolder{folder_}; }
  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_ = select(labs_, {"01"});
  const std::string signed_by_ = "by = \"G. Hopper\"\nwhen = 2026-12-01\n";
};

// Breaks when a person's points are lost, or reach the wrong student, or the late policy is applied twice.
TEST_F(Deciding, PointsOfAPartAndOfTheWhole) {
  const std::vector<HandedIn> attempts = {attempt("ada", "a", Class::kWrongAnswer, 2000),
                                          attempt("bob", "b", Class::kWrongAnswer, 2000),
                                          attempt("eve", "e", Class::kWrongAnswer)};
  const ClassOutcome outcome = decided(
      attempts,
      "[[override]]\nstudent = \"ada\"\nlab = \"01\"\npoints = 80\ncomment = \"the idea is right\"\n" +
          signed_by_ + "[[override]]\nstudent = \"BOB\"\npoints = 66\n" + signed_by_);
  EXPECT_EQ(outcome.students[0].points(), 40) << "a part's points, and a day late";
  EXPECT_EQ(outcome.students[1].points(), 66) << "the grade itself";
  EXPECT_EQ(outcome.students[2].comment, "");
  double sum = 0;
  for (const ScoreLine& line : outcome.students[0].results[0].lines) sum += line.points;
  EXPECT_NEAR(sum, 80, 0.01) << "the lines make the sum";
  const std::string page = student_page(folder(), outcome.students[0], outcome.chosen[0], parts_);
  for (const char* part :
       {"decided by G. Hopper", "G. Hopper, 2026-12-01: the idea is right; 01 has 80 points"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  const Graded again = from_json(to_json(outcome.students[1]));
  EXPECT_EQ(again.points(), 66);
  EXPECT_EQ(again.comment, outcome.students[1].comment);
  EXPECT_NE(format_named("class").text(outcome.students, {}).find("the grade is 66"), std::string::npos);
}

TEST_F(Deciding, AHeldGradeIsReleased) {
  const std::vector<HandedIn> attempts = {attempt("ada", "a", Class::kImpossible)};
  EXPECT_FALSE(decided(attempts, "").students[0].held.empty());
  const ClassOutcome outcome =
      decided(attempts, "[[override]]\nstudent = \"ada\"\nrelease = true\n" + signed_by_);
  EXPECT_EQ(outcome.students[0].held, "");
  EXPECT_EQ(outcome.students[0].comment, "G. Hopper, 2026-12-01: looked at: final");
}

// Breaks when a submission without a verdict stays one although a person graded it.
TEST_F(Deciding, PointsWhereTheGraderFoundNone) {
  HandedIn lost = attempt("ada", "a", Class::kNone);
  lost.tasks["01"] = "gone";
  EXPECT_EQ(decided({lost}, "").errors, 1U);
  const ClassOutcome outcome = decided(
      {lost}, "[[override]]\nstudent = \"ada\"\nlab = \"01\"\npoints = 90\nrelease = true\n" + signed_by_);
  EXPECT_EQ(outcome.errors, 0U);
  EXPECT_EQ(outcome.students[0].points(), 90);
}

TEST_F(Deciding, NamesAreTheRosters) {
  const auto roster = parse_roster("id,name,login\n5001,Ada Love,al\n5002,Bob Ross,br\n", "r");
  const std::vector<HandedIn> attempts = {attempt("5001", "a", Class::kNone)};
  const std::string points = "points = 7\n" + signed_by_;
  EXPECT_EQ(decided(attempts, "[[override]]\nstudent = \"al\"\n" + points, roster).students[0].points(), 7);
  for (const char* wrong : {"br", "nobody"})
    EXPECT_THROW(
        decided(attempts, "[[override]]\nstudent = \"" + std::string(wrong) + "\"\n" + points, roster),
        UsageError)
        << wrong;
}

// Breaks when another student's outcome is forgotten, or a kill in between brings the old one back.
TEST_F(Deciding, OneStudentIsGradedAgain) {
  const std::vector<HandedIn> attempts = {attempt("ada", "a1", Class::kNone),
                                          attempt("ada", "a2", Class::kNone),
                                          attempt("bob", "b", Class::kNone)};
  const std::filesystem::path file = folder().journal();
  {
    Journal journal(file);
    journal.append({{"event", "class"}});
    for (const char* key : {"a1", "a2", "b"})
      journal.append({{"event", "done"}, {"key", key}, {"verdict", "pass"}});
    Progressed progressed = replay(read_journal(read_file(file)).events);
    EXPECT_THROW(forget_students({"zoe"}, folder(), attempts, {}, journal, progressed), UsageError);
    EXPECT_EQ(forget_students({"ada"}, folder(), attempts, {}, journal, progressed),
              std::vector<std::string>{"ada"});
    EXPECT_EQ(progressed.done.size(), 1U);
  }
  EXPECT_EQ(replay(read_journal(read_file(file)).events).done,
            (std::map<std::string, std::string>{{"b", "pass"}}));
  EXPECT_FALSE(std::filesystem::exists(folder().outcome("a1")));
  EXPECT_TRUE(std::filesystem::exists(folder().outcome("b")));
  EXPECT_EQ(read_file(file).find("ada"), std::string::npos) << "the journal needs no names";
}

}  // namespace
}  // namespace roofline::grader::overrides
