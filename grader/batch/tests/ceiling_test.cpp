// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The time of a class and of a submission, and what a class that had to end says of those it did not reach.
#include "grader/batch/ceiling.h"

#include <thread>

#include "batch_folder.h"
#include "grader/base/file.h"
#include "grader/batch/batch.h"
#include "grader/batch/class_run.h"
#include "grader/formats/json.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

// Breaks when "1h30" ends a class after an hour.
TEST(Duration, Forms) {
  EXPECT_EQ(parse_duration("2h"), 7200);
  EXPECT_EQ(parse_duration("1h30m"), 5400);
  EXPECT_EQ(parse_duration(" 90 min "), 5400);
  EXPECT_EQ(parse_duration("1 h 5 min 3 s"), 3903);
  EXPECT_EQ(parse_duration("1.5h"), 5400);
  for (const char* bad :
       {"", "2", "h", "-1h", "0s", "1h30", "30m1h", "1m1min", "2 days", "nan h", "inf s", "1e9h"})
    EXPECT_FALSE(parse_duration(bad)) << bad;
  EXPECT_EQ(duration(40), "40 s");
  EXPECT_EQ(duration(7200), "2 h");
  EXPECT_EQ(duration(3900), "1 h 5 min");
}

TEST(Duration, OfACourse) {
  const Course course = Course::parse("[limits]\nceiling = \"2h\"\nbudget = \"5min\"\n", "course.toml");
  EXPECT_EQ(course.limits.ceiling, 7200);
  EXPECT_EQ(course.limits.with({.ceiling = 60, .budget = {}}).ceiling, 60) << "the command line says more";
  EXPECT_EQ(course.limits.with({.ceiling = 60, .budget = {}}).budget, 300);
  for (const char* bad : {"[limits]\nceiling = 2", "[limits]\nceiling = \"soon\"", "[limits]\nroof = \"2h\""})
    EXPECT_THROW(Course::parse(bad, "course.toml"), UsageError) << bad;
}

// Breaks when a slow solution's students get less than their course's author, or a class of 300 no end.
TEST(Budget, TwentyTimesTheSolution) {
  EXPECT_EQ(budget_for(0.5), 60);
  EXPECT_EQ(budget_for(3.1), 120) << "whole minutes";
  EXPECT_EQ(budget_for(3.9), 120);
  EXPECT_EQ(budget_for(15), 300);
  EXPECT_EQ(budget_for(500), 900);
}

TEST(Ceiling, EndsInTimeForWhatMustFollow) {
  EXPECT_FALSE(Ceiling(std::nullopt).reached());
  Ceiling ceiling(3600.0);
  EXPECT_FALSE(ceiling.reached());
  ceiling.reserve(3600);
  EXPECT_TRUE(ceiling.reached());
  const Ceiling soon(0.02);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_TRUE(soon.reached());
}

/// Each task ends when it is waited for.
class Prompt final : public Executor {
 public:
  std::size_t room() const override { return running_.empty() ? 1 : 0; }
  void start(const std::vector<std::string>& keys) override { running_ = keys; }
  std::vector<TaskEnd> wait(std::chrono::milliseconds) override {
    std::vector<TaskEnd> ends;
    for (const std::string& key : running_)
      ends.push_back({.key = key, .finished = true, .why = {}, .seconds = 2});
    running_.clear();
    return ends;
  }
  std::size_t running() const override { return running_.size(); }

 private:
  std::vector<std::string> running_;
};

class NotReached : public Folder {
 protected:
  static HandedIn attempt(const std::string& id, const std::string& key) {
    HandedIn attempt;
    attempt.id = id;
    attempt.label = key;
    attempt.tasks["01"] = key;
    return attempt;
  }
  void outcome(const std::string& key) {
    Result result;
    result.lab = "01-pointwise";
    result.part = "01";
    Check& check = result.checks.emplace_back();
    check.id = "case";
    check.verdict = Verdict::kPass;
    write_file(BatchFolder{folder_}.outcome(key), to_json({result}));
  }
  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_ = select(labs_, {"01"});
};

// Breaks when a class that was ended forgets what it graded, or a run after the end grades nothing.
TEST_F(NotReached, TheNextRunGoesOn) {
  const BatchFolder folder{folder_};
  Journal journal(folder.journal());
  Progressed progressed;
  Prompt executor;
  std::vector<Task> tasks(3);
  for (std::size_t i = 0; i < 3; ++i) tasks[i].key = "01-" + std::to_string(i);
  bool end = false;
  ClassRun run(folder, journal, executor, progressed,
               {.on_progress = [&](std::size_t done, std::size_t, std::size_t) { end = done == 1; },
                .outcome_verdict = [](const std::string&) { return "pass"; },
                .stop = [&] { return end; }});
  run.run(tasks);
  EXPECT_TRUE(run.stopped());
  EXPECT_EQ(progressed.done.size(), 2U);
  end = false;
  Progressed again = replay(read_journal(read_file(folder.journal())).events);
  ClassRun next(folder, journal, executor, again,
                {.outcome_verdict = [](const std::string&) { return "pass"; }});
  next.run(tasks);
  EXPECT_FALSE(next.stopped());
  EXPECT_EQ(again.done.size(), 3U);
}

// Breaks when who was not reached gets 0 points, or counts among those whom we failed.
TEST_F(NotReached, NoPointsRatherThanZero) {
  outcome("known");
  const BatchFolder folder{folder_};
  const ClassOutcome outcome =
      settle(folder, {attempt("ada", "known"), attempt("bob", "open")}, parts_, {}, {}, {"open"});
  EXPECT_EQ(outcome.not_reached, 1U);
  EXPECT_EQ(outcome.errors, 0U);
  ASSERT_EQ(outcome.students.size(), 2U);
  EXPECT_FALSE(outcome.students[0].not_reached());
  EXPECT_TRUE(outcome.students[1].not_reached());

  write_outputs({.root = folder_, .build = {}, .state = {}}, folder, outcome, parts_, {"moodle"});
  const std::string csv = read_file(folder_ / "class.csv");
  EXPECT_NE(csv.find("\nbob,,,,100,not-reached,"), std::string::npos) << csv;
  EXPECT_EQ(csv.find("bob,,,0"), std::string::npos) << csv;
  EXPECT_EQ(read_file(folder_ / "moodle.csv").find("bob"), std::string::npos);
  const std::string page = read_file(folder_ / "index.html");
  EXPECT_NE(page.find("1 of 2 were not reached"), std::string::npos);
  EXPECT_NE(page.find(">not reached</td><td class=\"number\"></td>"), std::string::npos) << page;
  const std::string own = read_file(folder_ / "reports/bob.html");
  EXPECT_NE(own.find("Not reached yet"), std::string::npos);
  EXPECT_EQ(own.find("0 of 100"), std::string::npos);
  EXPECT_NE(class_summary(outcome, Terminal{}).find("1 of 2 students were not reached: no points yet"),
            std::string::npos);
}

// Breaks when a grade looks final though a later submission of the same student was not reached.
TEST_F(NotReached, AnotherSubmissionIsHeld) {
  outcome("known");
  const ClassOutcome outcome = settle(BatchFolder{folder_}, {attempt("ada", "known"), attempt("ada", "open")},
                                      parts_, {}, {}, {"open"});
  ASSERT_EQ(outcome.students.size(), 1U);
  EXPECT_FALSE(outcome.students[0].not_reached());
  EXPECT_EQ(outcome.chosen[0].label, "known");
  EXPECT_EQ(outcome.students[0].held, "in open: not reached yet");
}

}  // namespace
}  // namespace roofline::grader
