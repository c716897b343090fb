// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The course file of a term: what it may say, what it is refused for, and what it does to grades.
#include "batch_folder.h"
#include "grader/base/file.h"
#include "grader/batch/anonymous.h"
#include "grader/batch/batch.h"
#include "grader/batch/class_setup.h"
#include "grader/batch/syllabus.h"
#include "grader/formats/json.h"

namespace roofline::grader::course_file {
namespace {

constexpr const char* kTerm = R"(title = "GPU programming"
attempts = "best"
not_passed_at_most = 50

[late]
time_zone = "+01:00"
percent_per_day = 10
most_days = 5
grace_minutes = 10

[late.extensions]
ada = 2026-11-25T23:59:00

[labs.01]
weight = 2
due = 2026-11-20T23:59:00
rubric = "Derive the limit first."

[labs.02]
due = 2026-12-20T23:59:00
attempts = "last"
not_passed_at_most = 30
[labs.02.extensions]
bob = 2026-12-22T23:59:00

[sections.B]
students = ["eve"]
due = { "01" = 2026-11-22T23:59:00 }

[exam]
labs = ["04"]
opens = 2027-01-10T09:00:00
closes = 2027-01-10T11:00:00

[limits]
ceiling = "5 min"
budget = "2 h"
)";

std::string problem_of(const std::string& text) {
  try {
    Course::parse(text, "course.toml");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

// Breaks when a mistake is accepted, or its line is not the one that a person has to mend.
TEST(CourseFile, MistakesHaveALine) {
  const std::pair<std::string, std::string> mistakes[] = {
      {"title = \"x\"\n\nwieght = 3\n", "line 3: wieght is not known"},
      {"[labs.01]\nweight = 1\ndue = \"soon\"\n", "line 3: labs.01.due is not a time"},
      {"[labs.99]\nweight = 1\n", "line 1: labs.99 names no lab"},
      {"[labs.01]\nweight = -1\n", "line 2: labs.01.weight is not a number from 0 on"},
      {"[labs.01]\n\nattempts = \"first\"\n", "line 3: labs.01.attempts is neither"},
      {"not_passed_at_most = 120\n", "line 1: not_passed_at_most is more than 100 percent"},
      {"anonymous = \"yes\"\n", "line 1: anonymous is neither true nor false"},
      {"[sections.A]\nstudents = \"ada\"\n", "line 2: sections.A.students is no list"},
      {"[sections.A]\n[sections.A.due]\n77 = 2026-11-20\n", "line 3: sections.A.due.77 names no lab"},
      {"[exam]\nlabs = []\n", "line 2: exam.labs names no lab"},
      {"[exam]\nlabs = [\"04\"]\nopens = 2027-01-10\ncloses = 2027-01-09\n",
       "line 4: exam.closes is not after"},
      {"[labs.04]\ndue = 2027-01-01\n[exam]\nlabs = [\"04\"]\n", "line 4: exam.labs names 04, which also"},
      {"[late]\ndeadline = 2026-11-20\nper_day = 10\n", "line 3: late.per_day is not known"},
      {"[points]\nspeed = 1\n", "line 2: points.speed is neither"},
      {"[points.01]\nspeed = 1\n", "line 2: points.01.speed is not a kind of points"},
      {"[limits]\nceilling = 1\n", "line 2: limits.ceilling is not known"},
      {"title = \"a\"\n[late\n", "line 2: "},
  };
  for (const auto& [text, said] : mistakes)
    EXPECT_NE(problem_of(text).find("course.toml " + said), std::string::npos) << text << problem_of(text);
  EXPECT_EQ(problem_of(kTerm), "accepted");
}

TEST(CourseFile, ALabSpeaksOfItsPartsAndAPartKnowsBetter) {
  const Course course =
      Course::parse("[labs.03]\nweight = 3\nrubric = \"all\"\n[labs.03c]\nweight = 5\n", "c");
  EXPECT_EQ(course.rules_of("03a").weight, 3);
  EXPECT_EQ(course.rules_of("03c").weight, 5);
  EXPECT_EQ(course.rules_of("03c").rubric, "all");
  EXPECT_EQ(course.rules_of("01").weight, 1);
}

class Term : public testing::Test {
 protected:
  Course fitted(const std::string& lab, const std::string& roster = "") {
    parts_ = select(labs_, {lab});
    Course course = Course::parse(kTerm, "course.toml");
    fit_course(course, parts_, roster.empty() ? std::vector<Student>{} : parse_roster(roster, "r"));
    return course;
  }
  static double factor(const Course& course, const char* who, const char* when) {
    return course.late.of(who, parse_time(when, "+01:00")).factor;
  }
  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_;
};

// Breaks when somebody's deadline is another lab's, another section's or another student's.
TEST_F(Term, WhoseDeadlineIsWhen) {
  const Course first = fitted("01"), second = fitted("02");
  EXPECT_EQ(factor(first, "joe", "2026-11-20T23:59:00"), 1);
  EXPECT_EQ(factor(first, "joe", "2026-11-21T00:09:00"), 1) << "grace";
  EXPECT_EQ(factor(first, "joe", "2026-11-21T12:00:00"), 0.9);
  EXPECT_EQ(factor(first, "ada", "2026-11-25T12:00:00"), 1) << "the term's extension";
  EXPECT_EQ(factor(first, "eve", "2026-11-22T12:00:00"), 1) << "the section's day";
  EXPECT_EQ(factor(first, "bob", "2026-11-22T12:00:00"), 0.8) << "an extension of another lab";
  EXPECT_EQ(factor(second, "bob", "2026-12-22T12:00:00"), 1);
  EXPECT_EQ(factor(second, "ada", "2026-12-20T12:00:00"), 1) << "an old extension takes nothing away";
  EXPECT_EQ(factor(second, "eve", "2026-12-21T12:00:00"), 0.9) << "a section's day of another lab";
}

TEST_F(Term, AnExamHasAWindow) {
  const Course exam = fitted("04");
  EXPECT_EQ(factor(exam, "joe", "2027-01-10T08:59:00"), 0);
  EXPECT_EQ(factor(exam, "joe", "2027-01-10T10:00:00"), 1);
  EXPECT_EQ(factor(exam, "joe", "2027-01-10T11:05:00"), 1) << "grace";
  EXPECT_EQ(factor(exam, "joe", "2027-01-10T12:00:00"), 0);
}

// Breaks when a batch of labs with two rules is graded by one of them.
TEST_F(Term, LabsWithDifferentRulesAreNotOneBatch) {
  parts_ = select(labs_, {"01", "02"});
  Course course = Course::parse(kTerm, "course.toml");
  EXPECT_THROW(fit_course(course, parts_, {}), UsageError);
}

TEST_F(Term, PeopleAreCalledAsTheRosterCallsThem) {
  const std::string roster = "id,name,login,section\n1,Ada,ada,A\n2,Bob,bob,A\n3,Eve,eve,A\n4,Joe,joe,B\n";
  const Course course = fitted("01", roster);
  EXPECT_EQ(course.section_of.at("3"), "B") << "the course file knows better than the roster";
  EXPECT_EQ(course.section_of.at("4"), "B");
  EXPECT_EQ(factor(course, "4", "2026-11-22T12:00:00"), 1) << "a section of the roster";
  EXPECT_EQ(factor(course, "1", "2026-11-25T12:00:00"), 1);
  EXPECT_THROW(fitted("01", "id,name\n9,Zoe\n"), UsageError) << "eve is nobody in this roster";
}

class TermGrades : public Folder {
 protected:
  HandedIn attempt(const std::string& id, const std::string& label, int passed, Seconds time) {
    Result result;
    result.lab = "01-pointwise";
    result.part = "01";
    for (int i = 0; i < 4; ++i) {
      Check& check = result.checks.emplace_back();
      check.id = "case-" + std::to_string(i);
      check.verdict = i < passed ? Verdict::kPass : Verdict::kFail;
      check.reason = i < passed ? Class::kNone : Class::kWrongAnswer;
    }
    const std::string key = id + "-" + label;
    write_file(BatchFolder{folder_}.outcome(key), to_json({result}));
    HandedIn attempt;
    attempt.id = id;
    attempt.label = label;
    attempt.name = "Ada Lovelace";
    attempt.email = "ada@x.org";
    attempt.time = time;
    attempt.tasks["01"] = key;
    return attempt;
  }
  ClassOutcome graded(const std::string& course, const std::vector<HandedIn>& attempts) {
    return settle(BatchFolder{folder_}, attempts, parts_, Course::parse(course, "c"));
  }
  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_ = select(labs_, {"01"});
};

TEST_F(TermGrades, BestOrLast) {
  const std::vector<HandedIn> attempts = {attempt("ada", "a", 3, 900), attempt("ada", "b", 1, 950)};
  EXPECT_EQ(graded("", attempts).chosen[0].label, "a");
  EXPECT_EQ(graded("attempts = \"last\"", attempts).chosen[0].label, "b");
  EXPECT_EQ(graded("[labs.01]\nattempts = \"last\"", attempts).chosen[0].label, "b");
  EXPECT_EQ(graded("[labs.02]\nattempts = \"last\"", attempts).chosen[0].label, "a");
}

// Breaks when what failed keeps more than the course allows, or its lines do not make its sum.
TEST_F(TermGrades, WhatDoesNotPassIsCapped) {
  const std::vector<HandedIn> attempts = {attempt("ada", "a", 3, 900)};
  const double before = graded("", attempts).students[0].points();
  const ClassOutcome capped = graded("not_passed_at_most = 20", attempts);
  EXPECT_GT(before, 20);
  EXPECT_EQ(capped.students[0].points(), 20);
  double sum = 0;
  for (const ScoreLine& line : capped.students[0].results[0].lines) sum += line.points;
  EXPECT_NEAR(sum, 20, 0.01);
  EXPECT_EQ(
      graded("not_passed_at_most = 20\n[labs.01]\nnot_passed_at_most = 100", attempts).students[0].points(),
      before);
}

TEST_F(TermGrades, SomebodyWithoutATimeInAnExamIsLookedAt) {
  Course course = Course::parse("[exam]\nlabs = [\"01\"]\ncloses = 2027-01-10T11:00:00Z\n", "c");
  fit_course(course, parts_, {});
  HandedIn unknown = attempt("ada", "a", 4, 0);
  unknown.time.reset();
  const Graded graded = settle(BatchFolder{folder_}, {unknown}, parts_, course).students[0];
  EXPECT_NE(graded.held.find("within the exam"), std::string::npos);
}

// Breaks when a page or table of an anonymous class says who somebody is.
TEST_F(TermGrades, AnonymousPagesNameNobody) {
  std::vector<HandedIn> attempts = {attempt("ada1815", "ada_lovelace_1", 3, 900),
                                    attempt("bob1816", "bob_1", 4, 900)};
  attempts[0].in_roster = false;
  attempts[1].problem = "bob1816.zip: the archive is damaged";
  hide_labels(attempts);
  ClassOutcome outcome =
      settle(BatchFolder{folder_}, attempts, parts_, {}, parse_roster("id,name\nzoe1817,Zoe Zed\n", "r"));
  hide_people(outcome, 7);
  write_outputs({}, BatchFolder{folder_}, outcome, parts_, {});
  const std::string id = anonymous_id("ada1815", 7);
  EXPECT_NE(id, anonymous_id("ada1815", 8)) << "another class, another id";
  std::string all = class_summary(outcome, {});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
    if (entry.is_regular_file() && entry.path().string().find("/work/") == std::string::npos)
      all += entry.path().filename().string() + read_file(entry.path());
  EXPECT_NE(all.find(id), std::string::npos);
  for (const char* name : {"1815", "Lovelace", "lovelace", "1816", "Zoe", "1817", "x.org"})
    EXPECT_EQ(all.find(name), std::string::npos) << name;
}

TEST(Exam, EverybodyHasOwnInputs) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("roofline-exam-" + std::to_string(getpid()) + ".toml");
  write_file(file, "[exam]\nlabs = [\"04\"]\n");
  const ClassSetup exam({.labs = {"04"}, .roster = {}, .course = file, .hidden = {}}),
      other({.labs = {"01"}, .roster = {}, .course = file, .hidden = {}});
  EXPECT_NE(exam.seed_for("ada", 5), exam.seed_for("bob", 5));
  EXPECT_EQ(exam.seed_for("ada", 5), exam.seed_for("ada", 5));
  EXPECT_EQ(other.seed_for("ada", 5), 5U);
  std::filesystem::remove(file);
}

// Breaks when the page promises what the grader does not do, or tells somebody's extension.
TEST(Syllabus, SaysWhatTheFileSays) {
  const std::vector<Lab>& labs = all_labs();
  const std::string page = syllabus(Course::parse(kTerm, "c"), select(labs, {"01", "02", "04"}));
  for (const char* part :
       {"# GPU programming", "| 01 | ", "| 2 | 100 | 2026-11-20 23:59; section B: 2026-11-22 23:59 |",
        "Times are of the zone +01:00.",
        "Each day that has begun takes 10 % of the points; after 5 days there are none. The first 10 minutes",
        "the best submission counts; in 02 the last submission counts", "01 50 %, 02 30 %, 04 50 %",
        "## Exam\n\nLabs 04. Opens 2027-01-10 09:00. Closes 2027-01-10 11:00; nothing counts "
        "afterwards. "
        "There are no hints.",
        "Derive the limit first."})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  EXPECT_EQ(page.find("bob"), std::string::npos) << "extensions are private";
}

}  // namespace
}  // namespace roofline::grader::course_file
