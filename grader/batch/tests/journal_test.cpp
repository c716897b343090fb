// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What a kill, a full disk and a fault of ours leave behind: the journal, and the tries of a task.
#include "grader/batch/journal.h"

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <deque>
#include <fstream>

#include "batch_folder.h"
#include "grader/base/file.h"
#include "grader/batch/class_run.h"
#include "grader/formats/json.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;
using Json = nlohmann::json;

using JournalFile = Folder;

TEST_F(JournalFile, AnUnfinishedLineIsCutOffAndNothingElse) {
  const fs::path file = folder_ / "journal.jsonl";
  {
    Journal journal(file);
    journal.append({{"event", "done"}, {"key", "a"}});
    journal.append({{"event", "done"}, {"key", "b"}});
  }
  const std::string whole = read_file(file);
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    std::ofstream(file, std::ios::trunc | std::ios::binary) << whole.substr(0, cut);
    const std::size_t lines = static_cast<std::size_t>(std::ranges::count(whole.substr(0, cut), '\n'));
    Journal journal(file);
    journal.append({{"event", "done"}, {"key", "c"}});
    const JournalText text = read_journal(read_file(file));
    ASSERT_EQ(text.events.size(), lines + 1) << cut;
    EXPECT_EQ(text.unreadable, 0U);
    EXPECT_EQ(text.events.back()["key"], "c");
  }
}

TEST_F(JournalFile, OneWriterOnly) {
  Journal journal(folder_ / "journal.jsonl");
  EXPECT_THROW(Journal(folder_ / "journal.jsonl"), InfrastructureError);
}

TEST_F(JournalFile, AFullDiskIsSaidAndLosesNothing) {
  const fs::path file = folder_ / "journal.jsonl";
  Journal journal(file);
  journal.append({{"event", "done"}, {"key", "a"}});
  const std::string before = read_file(file);
  // A limit on the file's size refuses the write as a full disk does, in the middle of the line.
  rlimit old{}, tight{before.size() + 10, RLIM_INFINITY};
  getrlimit(RLIMIT_FSIZE, &old);
  tight.rlim_max = old.rlim_max;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THROW(journal.append({{"event", "done"}, {"key", std::string(100, 'b')}}), InfrastructureError);
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(read_file(file), before);
  journal.append({{"event", "done"}, {"key", "c"}});
  EXPECT_EQ(read_journal(read_file(file)).events.size(), 2U);
}

TEST(Journal, ForeignLinesAreLeftOut) {
  const JournalText text =
      read_journal("{\"event\":\"a\"}\nnot json\n[1]\n{\"event\":7}\n\n{\"event\":\"b\"}\n{\"event\":");
  EXPECT_EQ(text.events.size(), 2U);
  EXPECT_EQ(text.unreadable, 4U);
}

TEST(Replay, ASentinelThatFailsTakesBackWhatItShouldHaveVouchedFor) {
  const auto done = [](const char* key) {
    return Json{{"event", "done"}, {"key", key}, {"verdict", "pass"}};
  };
  const Json good = {{"event", "sentinel"}, {"verdict", "pass"}},
             bad = {{"event", "sentinel"}, {"verdict", "fail"}};
  const Json opened = {{"event", "class"}, {"seed", 7}};
  Progressed state = replay({opened, good, done("a"), good, done("b"), bad, good, done("c")});
  EXPECT_EQ(state.done.size(), 2U);
  EXPECT_FALSE(state.done.contains("b"));
  EXPECT_EQ(state.header["seed"], 7);
  // A clock that jumps changes nothing: the order of the lines counts, no time does.
  Json late = done("d");
  late["at"] = "1970-01-01T00:00:00Z";
  EXPECT_TRUE(replay({opened, good, late}).done.contains("d"));
}

// --- tries

/// Ends tasks as a script says: a verdict, or "" for a grader that died.
class Scripted final : public Executor {
 public:
  std::map<std::string, std::deque<std::string>> script;
  std::map<std::string, std::string> verdicts;
  std::vector<std::string> started;
  std::size_t room() const override { return 2 - queue_.size(); }
  std::size_t running() const override { return queue_.size(); }
  void start(const std::vector<std::string>& keys) override {
    for (const std::string& key : keys) started.push_back(key), queue_.push_back(key);
  }
  std::vector<TaskEnd> wait(std::chrono::milliseconds) override {
    if (queue_.empty()) return {};
    const std::string key = queue_.front();
    queue_.pop_front();
    std::string verdict = "pass";
    if (auto& lines = script[key]; !lines.empty()) {
      verdict = lines.front();
      lines.pop_front();
    }
    verdicts[key] = verdict;
    return {{.key = key, .finished = !verdict.empty(), .why = verdict.empty() ? "killed" : "", .seconds = 1}};
  }

 private:
  std::deque<std::string> queue_;
};

class Tries : public Folder {
 protected:
  void SetUp() override {
    Folder::SetUp();
    fs::create_directories(BatchFolder{folder_}.work());
  }
  static std::vector<Task> tasks(const std::vector<std::string>& keys) {
    std::vector<Task> all;
    for (const std::string& key : keys) all.emplace_back().key = key;
    return all;
  }
  void run(Scripted& executor, const std::vector<Task>& all) {
    Journal journal(folder_ / "journal.jsonl");
    state = replay(read_journal(read_file(folder_ / "journal.jsonl")).events);
    ClassRun::Hooks hooks;
    hooks.outcome_verdict = [&](const std::string& key) { return executor.verdicts[key]; };
    ClassRun(BatchFolder{folder_}, journal, executor, state, hooks).run(all);
  }
  Progressed state;
};

TEST_F(Tries, OurFaultsAreTriedThreeTimesAStudentsOnce) {
  Scripted executor;
  executor.script = {{"dies", {"", "", "", ""}}, {"recovers", {"", "error", "pass"}}, {"wrong", {"fail"}}};
  run(executor, tasks({"dies", "wrong", "recovers", "fine"}));
  EXPECT_EQ(state.done["dies"], "error");
  EXPECT_EQ(state.done["recovers"], "pass");
  EXPECT_EQ(state.done["wrong"], "fail");
  EXPECT_EQ(state.done["fine"], "pass");
  EXPECT_EQ(std::ranges::count(executor.started, "dies"), 3);
  EXPECT_EQ(std::ranges::count(executor.started, "wrong"), 1);
}

TEST_F(Tries, TheSameTaskRunsOnceAndNotAgainAfterAKill) {
  Scripted executor;
  run(executor, tasks({"a", "a", "b"}));
  EXPECT_EQ(executor.started.size(), 2U);
  Scripted again;
  run(again, tasks({"a", "b", "c"}));
  EXPECT_EQ(again.started, std::vector<std::string>{"c"});
}

TEST_F(Tries, TriesAreCountedOverResumes) {
  Scripted executor;
  Json fault = {{"event", "fault"}, {"key", "a"}, {"why", "node"}};
  {
    Journal journal(folder_ / "journal.jsonl");
    journal.append(fault);
    journal.append(fault);
  }
  executor.script = {{"a", {"", "pass"}}};
  run(executor, tasks({"a"}));
  EXPECT_EQ(state.done["a"], "error") << "the third try was the last";
}

// Breaks when a try that died is judged by what the try before it left.
TEST_F(Tries, AnOutcomeOfAnEarlierTryIsNone) {
  Scripted executor;
  write_file(BatchFolder{folder_}.outcome("a"), "of another day");
  run(executor, tasks({"a"}));
  EXPECT_FALSE(fs::exists(BatchFolder{folder_}.outcome("a")));
}

// Breaks when a power cut that lost an outcome, but not the journal's line, loses a student's work.
TEST_F(Tries, WhatTheDiskLostIsGradedAgain) {
  Result result;
  result.verdict = Verdict::kFail;
  write_file(BatchFolder{folder_}.outcome("kept"), to_json({result}));
  write_file(BatchFolder{folder_}.outcome("torn"), to_json({result}).substr(0, 40));
  Progressed known;
  known.done = {{"kept", "fail"}, {"torn", "fail"}, {"lost", "pass"}, {"given-up", "error"}};
  forget_what_is_lost(BatchFolder{folder_}, known);
  EXPECT_EQ(known.done, (std::map<std::string, std::string>{{"kept", "fail"}, {"given-up", "error"}}));
}

TEST_F(Tries, AFailedSentinelIsAnErrorOfOurs) {
  Scripted executor;
  executor.script = {{"sentinel", {"fail"}}};
  Journal journal(folder_ / "journal.jsonl");
  ClassRun::Hooks hooks;
  hooks.outcome_verdict = [&](const std::string& key) { return executor.verdicts[key]; };
  ClassRun run(BatchFolder{folder_}, journal, executor, state, hooks);
  EXPECT_THROW(run.run_sentinels(tasks({"sentinel"}), "before"), InfrastructureError);
}

}  // namespace
}  // namespace roofline::grader
