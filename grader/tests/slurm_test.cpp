// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A real Slurm of one node, without root: a class of 40, tasks that fail, tasks that the cluster ends.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "grader/batch/class_run.h"
#include "grader/batch/executor.h"
#include "grader/batch/journal.h"
#include "grader/file.h"
#include "grader/process.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

class Slurm : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    const CommandResult started = node("start");
    if (started.exit_code == 4) GTEST_SKIP() << "slurm-wlm and munge are not installed";
    if (!started.ok()) GTEST_SKIP() << "Slurm does not start here: " << started.output;
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
    return run_command({ROOFLINE_SOURCE "/grader/tests/slurm_node", action, cluster().string()});
  }
  /// Tasks that take as long as `script` says and leave an outcome, unless it ends before.
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
    std::size_t count = 0;
    for (const auto& event : read_journal(read_file(batch_.journal())).events)
      count += event["event"] == which ? 1 : 0;
    return count;
  }

  fs::path folder_ = fs::temp_directory_path() / ("slurm_test-" + std::to_string(getpid()));
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
    for (int i = 0; i < 200 && !fs::exists(batch_.journal()); ++i) usleep(100'000);
    const auto running = [] {
      return !run_command({"squeue", "--noheader", "--states=RUNNING"}).output.empty();
    };
    for (int i = 0; i < 100 && !running(); ++i) usleep(100'000);
    usleep(500'000);
    run_command({"scancel", "--state=RUNNING", "--name=roofline-labs"});
  });
  const Progressed state = run(options("sleep 4"), 4);
  EXPECT_EQ(state.done.size(), 4U);
  for (const auto& [key, verdict] : state.done) EXPECT_EQ(verdict, "pass") << key;
  EXPECT_GE(events("fault"), 1U) << "nothing ran when it was to be ended";
}

// The same class as ./lab batch grades it: real workers, on the cluster, resumed after a kill.
TEST_F(Slurm, AClassOfForty) {
  const fs::path submissions = folder_ / "class", source = ROOFLINE_SOURCE;
  const fs::path kinds[] = {source / "labs/01-pointwise/pointwise.cu",
                            source / "solutions/01-pointwise/wrong/does-not-compile.cu",
                            source / "solutions/01-pointwise/wrong/exits.cu"};
  for (int i = 0; i < 40; ++i) {
    const fs::path student = submissions / ("student-" + std::to_string(100 + i));
    fs::create_directories(student);
    fs::copy_file(kinds[i % 3], student / "pointwise.cu");
  }
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
                                            "--seed",
                                            "11"};
  const CommandResult killed = run_command(command, {.limit = std::chrono::seconds(4)});
  EXPECT_TRUE(killed.timed_out) << killed.output;
  const CommandResult graded = run_command(command, {.limit = std::chrono::seconds(400)});
  ASSERT_EQ(graded.exit_code, 0) << graded.output;
  std::size_t results = 0;
  for (const auto& entry : fs::directory_iterator(batch_.results()))
    results += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(results, 40U);
  EXPECT_NE(read_file(batch_.results() / "student-101.json").find("does-not-compile"), std::string::npos);
  EXPECT_EQ(events("given-up"), 0U);
}

}  // namespace
}  // namespace roofline::grader
