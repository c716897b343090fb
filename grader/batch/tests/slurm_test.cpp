// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A real Slurm of one node, without root: a class of 40, tasks that fail, tasks that the cluster ends, a node
// that loses its power.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "grader/base/file.h"
#include "grader/batch/class_run.h"
#include "grader/batch/executor.h"
#include "grader/batch/journal.h"
#include "grader/box/process.h"
#include "grader/lab/submission_file.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

class Slurm : public testing::Test {
 protected:
  void SetUp() override {
    // A folder that nobody had: one of an earlier process of this number would hold its jobs, keys and
    // journal.
    std::string name = (fs::temp_directory_path() / "slurm_test-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    CommandResult started = node("start");
    if (started.exit_code == 4) GTEST_SKIP() << "slurm-wlm and munge are not installed";
    if (!started.ok()) {  // a port may have been taken in between
      node("stop");
      started = node("start");
    }
    ASSERT_TRUE(started.ok()) << "Slurm does not start: " << started.output;
    setenv("SLURM_CONF", (cluster() / "slurm.conf").c_str(), 1);
    batch_.root = folder_ / "out";
    fs::create_directories(batch_.work() / "outcomes");
  }
  void TearDown() override {
    node("stop");
    std::error_code ignored;  // a daemon may still write its last words
    fs::remove_all(folder_, ignored);
  }

  fs::path cluster() const { return folder_ / "cluster"; }
  CommandResult node(const std::string& action) const {
    return run_command({ROOFLINE_SOURCE "/grader/batch/tests/slurm_node", action, cluster().string()});
  }
  /// Tasks that do what `script` says ($0 is the key) and leave an outcome, unless it fails or does not end.
  SlurmOptions options(const std::string& script) const {
    SlurmOptions options;
    options.memory = "50M";
    options.command = [this, script](const std::string& key) {
      return std::vector<std::string>{"/bin/sh", "-c",
                                      script + " && echo x > " + batch_.outcome(key).string(), key};
    };
    return options;
  }
  Progressed run(const SlurmOptions& how, std::size_t count) {
    std::vector<Task> tasks(count);
    for (std::size_t i = 0; i < count; ++i) tasks[i].key = "task-" + std::to_string(i);
    Journal journal(batch_.journal());
    Progressed state = replay(read_journal(read_file(batch_.journal())).events);
    const auto executor = slurm_executor(batch_, how);
    ClassRun::Hooks hooks;
    hooks.outcome_verdict = [](const std::string&) { return "pass"; };
    ClassRun(batch_, journal, *executor, state, hooks).run(tasks);
    return state;
  }
  std::size_t events(const std::string& which) const {
    std::error_code ignored;
    if (!fs::exists(batch_.journal(), ignored)) return 0;
    std::size_t count = 0;
    for (const auto& event : read_journal(read_file(batch_.journal())).events)
      count += event["event"] == which ? 1 : 0;
    return count;
  }
  /// Task 0 hangs when it is tried first: an accident cannot come too late for it.
  SlurmOptions hangs_once() const {
    return options("[ $0 != task-0 ] || [ -e " + hangs().string() + " ] || { : > " + hangs().string() +
                   "; sleep 600; }");
  }
  /// What tasks printed: the folder is gone when somebody reads of a failure.
  std::string logs() const {
    std::string all;
    for (const auto& entry : fs::recursive_directory_iterator(batch_.work()))
      if (entry.is_regular_file() && entry.path().extension() == ".txt")
        all += "--- " + entry.path().string() + "\n" + read_file(entry.path());
    return all;
  }
  fs::path hangs() const { return folder_ / "hangs"; }
  void wait_until_it_hangs() const {
    for (int i = 0; i < 600 && !fs::exists(hangs()); ++i) usleep(100'000);
  }

  fs::path folder_;
  BatchFolder batch_;
};

TEST_F(Slurm, TasksOnGpusAndOneThatDiesTwice) {
  SlurmOptions how = options("[ \"$0\" != task-7 ] || [ $(ls " + folder_.string() +
                             " | grep -c tried) -ge 2 ] || "
                             "{ : > " +
                             folder_.string() + "/tried-$$; exit 1; }");
  how.gpu = true;
  how.chunk = 25;
  const Progressed state = run(how, 40);
  EXPECT_EQ(state.done.size(), 40U);
  for (const auto& [key, verdict] : state.done) EXPECT_EQ(verdict, "pass") << key;
  EXPECT_EQ(events("fault"), 2U);
}

TEST_F(Slurm, WhatTheClusterEndsIsOurFault) {
  std::jthread accident([&] {
    wait_until_it_hangs();
    run_command({"scancel", "--state=RUNNING", "--name=roofline-labs"});
  });
  const Progressed state = run(hangs_once(), 4);
  EXPECT_EQ(state.done.size(), 4U);
  for (const auto& [key, verdict] : state.done) EXPECT_EQ(verdict, "pass") << key;
  EXPECT_GE(events("fault"), 1U) << "nothing ran when it was to be ended";
}

// Nothing tells the cluster: it finds out by itself that the node does not answer, and gives up its job.
TEST_F(Slurm, ANodeThatFailsIsOurFault) {
  std::jthread accident([&] {
    wait_until_it_hangs();
    EXPECT_TRUE(node("fail").ok());
    const auto queued = [] {
      return !run_command({"squeue", "--noheader", "--states=RUNNING"}).output.empty();
    };
    for (int i = 0; i < 120 && queued(); ++i) usleep(500'000);
    EXPECT_TRUE(node("repair").ok());
  });
  const Progressed state = run(hangs_once(), 4);
  EXPECT_EQ(state.done.size(), 4U);
  for (const auto& [key, verdict] : state.done) EXPECT_EQ(verdict, "pass") << key;
  EXPECT_EQ(state.faults.at("task-0"), 1);
  EXPECT_NE(read_file(cluster() / "slurmctld.log").find("on failed node"), std::string::npos)
      << "the job ended for another reason";
}

// The same class as ./lab batch grades it: real workers, on the cluster, with hidden cases, resumed after a
// kill.
TEST_F(Slurm, AClassOfForty) {
  const fs::path submissions = folder_ / "class", source = ROOFLINE_SOURCE;
  const fs::path kinds[] = {source / "labs/01-pointwise/pointwise.cu",
                            source / "solutions/01-pointwise/wrong/does-not-compile.patch",
                            source / "solutions/01-pointwise/wrong/exits.patch"};
  for (int i = 0; i < 40; ++i) {
    const fs::path student = submissions / ("student-" + std::to_string(100 + i));
    write_file(student / "pointwise.cu", submission_text(kinds[i % 3], Paths::find()));
  }
  const fs::path hidden = folder_ / "hidden.toml";
  write_file(hidden, "[[case]]\npart = \"01\"\nn = 12347\nmisaligned = 1\n");
  const std::vector<std::string> command = {ROOFLINE_BUILD "/bin/lab",
                                            "batch",
                                            submissions.string(),
                                            "--out",
                                            batch_.root.string(),
                                            "--lab",
                                            "01",
                                            "--device",
                                            "sim",
                                            "--executor",
                                            "slurm",
                                            "--memory",
                                            "1G",
                                            "--hidden",
                                            hidden.string(),
                                            "--seed",
                                            "11"};
  // Killed when its tasks are queued or run: how long it takes to that point is the machine's affair.
  for (int limit_s = 3; limit_s < 100 && events("slurm") == 0; limit_s *= 2)
    EXPECT_TRUE(run_command(command, {.limit = std::chrono::seconds(limit_s)}).timed_out);
  EXPECT_GE(events("slurm"), 1U);
  const CommandResult graded = run_command(command, {.limit = std::chrono::seconds(400)});
  ASSERT_EQ(graded.exit_code, 0) << graded.output << read_file(batch_.journal()) << logs();
  std::size_t results = 0;
  for (const auto& entry : fs::directory_iterator(batch_.results()))
    results += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(results, 40U);
  EXPECT_NE(read_file(batch_.results() / "student-101.json").find("does-not-compile"), std::string::npos);
  EXPECT_NE(read_file(batch_.results() / "student-102.json").find("hidden case 1"), std::string::npos);
  EXPECT_EQ(events("given-up"), 0U);
}

}  // namespace
}  // namespace roofline::grader
