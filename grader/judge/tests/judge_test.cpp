// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The whole judge against real worker processes on a fake device (tests/fake): every way to be wrong gets its
// class, and no way to be wrong gets a pass.
#include "grader/judge/judge.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <stop_token>
#include <thread>
#include <vector>

#include "grader/base/file.h"
#include "grader/box/process.h"
#include "grader/call/device.h"
#include "grader/call/rig.h"
#include "grader/judge/gpu_timing.h"
#include "grader/result/statistics.h"

namespace roofline::grader {
namespace {

namespace fs = std::filesystem;

void axpb(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  const double a = call.scalar("a"), b = call.scalar("b");
  for (auto i = begin; i < end; ++i) expected[i - begin] = {a * x[i] + b, std::abs(a * x[i]) + std::abs(b)};
}

Lab fixture(bool timed = false) {
  Part part{
      .program = {.header = "axpb.h",
                  .source = "axpb.cu",
                  .function = "axpb",
                  .arguments = {in("x", "n"), out("y", "n"), scalar("a"), scalar("b"), size("n"), stream()},
                  .outputs = {{.argument = "y", .reference = axpb, .tolerance = {.c = 2}}}},
      .cases = common_cases({.sizes = {0, 1, 33, 1023, 4096}, .misaligned = {1}, .in_place = {{"y", "x"}}}),
      .deadline_seconds = 2,
  };
  if (timed) {
    part.goals = {{.id = "bandwidth",
                   .title = "fraction of copy",
                   .settings = {{"n", 1 << 18}},
                   .roof = "copy",
                   .work = [](const Settings& s) { return 8 * s["n"]; },
                   .thresholds = {{0, {.pass = 0.01, .good = 0.8, .excellent = 50}}}}};
  }
  return {.folder = "99-fixture", .title = "fixture", .parts = {part}};
}

/// A directory with links to the fixture programs, removed at the end.
class Judge : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("judge_test-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path link(const char* program, const std::string& name) {
    const fs::path path = folder_ / name;
    if (!fs::exists(path)) fs::create_symlink(program, path);
    return path;
  }
  Result grade_as(const std::string& behaviour, bool timed = false,
                  const std::string& roof_name = "roof-copy") {
    const Lab lab = fixture(timed);
    GradeOptions options;
    options.seed = 11;
    options.cuda_library_directory = folder_;
    options.roof_worker = [&](const Roof&) { return link(FAKE_ROOFS, roof_name); };
    DeviceChoice device;
    device.simulated = false;
    return grade(lab, lab.parts[0], {link(FAKE_SUBMISSIONS, "axpb-" + behaviour), {}}, device, options);
  }
  static std::string summary(const Result& result) {
    std::string text(name_of(result.verdict));
    for (const Check& check : result.checks) {
      text += "\n  " + check.id + " " + std::string(name_of(check.verdict)) + " " +
              std::string(name_of(check.reason)) + ": " + check.message;
    }
    return text;
  }
  void expect_failure(const std::string& behaviour, Class reason, const std::string& words) {
    const Result result = grade_as(behaviour);
    EXPECT_EQ(result.verdict, Verdict::kFail) << summary(result);
    EXPECT_EQ(name_of(result.reason), name_of(reason)) << summary(result);
    bool said = false;
    for (const Check& check : result.checks) said = said || check.message.find(words) != std::string::npos;
    EXPECT_TRUE(said) << "nobody said \"" << words << "\"\n" << summary(result);
    EXPECT_EQ(exit_status(result), 1);
  }

  /// What a worker's LD_LIBRARY_PATH is, told by a script that is none.
  std::string library_path(RigOptions options) {
    const fs::path program = folder_ / "shows-its-environment";
    write_file(program, "#!/bin/sh\necho \"$LD_LIBRARY_PATH\"\n");
    fs::permissions(program, fs::perms::owner_all);
    options.cuda_library_directory = "/toolkit/lib64";
    try {
      Rig(options, program, fixture().parts[0].program, 4096, 4096);
    } catch (const StartFault& fault) {
      return fault.what();
    }
    return "it started";
  }

  /// The same part, as if it needed several GPUs.
  Result grade_on_gpus(unsigned gpus) {
    Lab lab = fixture();
    lab.parts[0].program.gpus = gpus;
    GradeOptions options;
    options.seed = 11;
    options.cuda_library_directory = folder_;
    options.roof_worker = [&](const Roof&) { return link(FAKE_ROOFS, "roof-copy"); };
    DeviceChoice device;
    device.simulated = false;
    return grade(lab, lab.parts[0], {link(FAKE_SUBMISSIONS, "axpb-right"), {}}, device, options);
  }

  /// Right in every case, and caught when it is timed.
  void expect_slip(const std::string& behaviour, const std::string& words) {
    const Result result = grade_as(behaviour, true);
    const Check* timed = result.find("bandwidth");
    EXPECT_EQ(name_of(timed->verdict), "fail") << summary(result);
    EXPECT_EQ(name_of(timed->reason), "wrong-answer") << summary(result);
    EXPECT_NE(timed->message.find(words), std::string::npos) << summary(result);
    for (const Check& check : result.checks)
      EXPECT_TRUE(&check == timed || check.verdict == Verdict::kPass) << summary(result);
  }

  fs::path folder_;
};

TEST_F(Judge, PassesTheRightSubmission) {
  const Result result = grade_as("right");
  EXPECT_EQ(result.verdict, Verdict::kPass) << summary(result);
  EXPECT_EQ(result.points, 100) << summary(result);
  EXPECT_EQ(result.checks.size(), fixture().parts[0].cases.size());
  EXPECT_EQ(result.device.name, "Fake device");
  EXPECT_EQ(exit_status(result), 0);
}

/// Other programs, for as long as it lives: one for each processor.
class OtherPrograms {
 public:
  OtherPrograms() {
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
      threads_.emplace_back([](const std::stop_token& stop) {
        while (!stop.stop_requested()) continue;
      });
  }

 private:
  std::vector<std::jthread> threads_;
};

// Breaks when a deadline that passes while others have the processors fails a file at once; or when it never
// does.
TEST_F(Judge, AsksOnceMoreWhereOthersHadTheProcessors) {
  const OtherPrograms others;
  const Result late = grade_as("hang-once");
  EXPECT_EQ(late.verdict, Verdict::kPass) << summary(late);
  const Result never = grade_as("hang");
  EXPECT_EQ(name_of(never.reason), "timeout") << summary(never);
}

// Breaks when a part for several GPUs fails, or passes, on a machine that has one.
TEST_F(Judge, SkipsWhatNeedsMoreGpusThanThereAre) {
  const Result result = grade_on_gpus(4);
  EXPECT_EQ(result.verdict, Verdict::kSkipped) << summary(result);
  ASSERT_EQ(result.checks.size(), 1u) << summary(result);
  EXPECT_EQ(result.checks[0].reason, Class::kUnsupportedDevice);
  EXPECT_NE(result.checks[0].message.find("needs 4 GPUs, and there is one; --device sim simulates"),
            std::string::npos)
      << summary(result);
  EXPECT_EQ(exit_status(result), 3);
  EXPECT_EQ(grade_on_gpus(1).verdict, Verdict::kPass);
}

TEST_F(Judge, NamesWrongAnswers) {
  expect_failure("zeros", Class::kWrongAnswer, "every element of y is zero");
  expect_failure("tail", Class::kWrongAnswer, "right up to index");
  expect_failure("half", Class::kWrongAnswer, "elements of y");
}

TEST_F(Judge, SeesWhatGuardBandsAndCopiesBackShow) {
  expect_failure("past-the-end", Class::kOutOfBounds, "0 bytes past the end of y");
  expect_failure("before-the-start", Class::kOutOfBounds, "4 bytes before y");
  expect_failure("modifies-input", Class::kInputChanged, "the input x was changed, first at index");
}

TEST_F(Judge, SurvivesProgramsThatDoNotAnswer) {
  expect_failure("crash", Class::kCrashed, "signal 11");
  expect_failure("exit", Class::kCrashed, "exit status 0");
  expect_failure("hang", Class::kTimeout, "nothing came back within");
  expect_failure("hang-child", Class::kCrashed, "exit status 0");
  expect_failure("dies-at-start", Class::kCrashed, "signal 6");
}

// Breaks when a card's first context, which may take longer than a call may, is held against the program.
TEST_F(Judge, GivesACardTimeToWakeUp) {
  const Result result = grade_as("wakes-slowly");
  EXPECT_EQ(result.verdict, Verdict::kPass) << summary(result);
}

// Breaks when a driver that only the user's LD_LIBRARY_PATH leads to is found by the grader alone.
TEST_F(Judge, WorkersFindTheDriverThatTheGraderFound) {
  const CommandResult doctor =
      run_command({ROOFLINE_BUILD "/bin/lab", "doctor"}, {.environment = {"LD_LIBRARY_PATH=" FAKE_DRIVER}});
  EXPECT_NE(doctor.output.find("Fake GPU (compute capability 9.0, 17.2 GB); driver for CUDA 13.0 in"),
            std::string::npos)
      << doctor.output;
  EXPECT_NE(doctor.output.find(FAKE_DRIVER), std::string::npos) << doctor.output;

  RigOptions options;
  options.device.simulated = false;
  options.driver_directory = FAKE_DRIVER;
  EXPECT_NE(library_path(options).find("/toolkit/lib64:" FAKE_DRIVER "\n"), std::string::npos);
}

// Breaks when NVRTC is found in a toolkit that the system does not know, and its other half is not.
TEST_F(Judge, WorkersOnASimulatedGpuFindTheToolkit) {
  RigOptions options;
  options.simulator_directory = ROOFLINE_BUILD "/simulator";
  EXPECT_NE(library_path(options).find(ROOFLINE_BUILD "/simulator:/toolkit/lib64\n"), std::string::npos);
}

TEST_F(Judge, DoesNotTakeOldOrUnsteadyResults) {
  expect_failure("stale", Class::kWrongAnswer, "nothing written when called again");
  expect_failure("differs", Class::kRace, "two runs with the same input differ, first at y[0]");
}

TEST_F(Judge, TellsAnUntouchedSkeletonFromAMistake) {
  const Result result = grade_as("nothing");
  EXPECT_EQ(name_of(result.reason), "not-implemented") << summary(result);
  EXPECT_EQ(result.points, 0);
}

// A GPU does not say whether a kernel ran: breaks when one case without a written word ends the grade.
TEST_F(Judge, OneUnwrittenCaseIsNoSkeleton) {
  expect_failure("all-but-the-last", Class::kWrongAnswer, "nothing was written");
}

TEST_F(Judge, SharedMemoryWithstandsTheWorker) {
  const Result result = grade_as("attacks");
  EXPECT_EQ(result.verdict, Verdict::kPass) << summary(result) << result.program_output;
}

TEST_F(Judge, ForgedAnswersAreNoOutput) {
  expect_failure("garbage", Class::kCrashed, "wrote to the judge's channel");
  const Result result = grade_as("forges");
  EXPECT_EQ(result.verdict, Verdict::kFail) << summary(result);
  for (const Check& check : result.checks) {
    if (check.id == "n-0") continue;
    EXPECT_NE(check.verdict, Verdict::kPass) << check.id << ": " << check.message;
  }
}

TEST_F(Judge, KeepsCappedAndHarmlessOutput) {
  const Result result = grade_as("prints");
  EXPECT_EQ(result.verdict, Verdict::kPass) << summary(result);
  EXPECT_NE(result.program_output.find("hello"), std::string::npos);
  EXPECT_EQ(result.program_output.find('\x1b'), std::string::npos);
  EXPECT_LT(result.program_output.size(), 70'000U);
}

TEST_F(Judge, KeepsWhatIsPrintedAtTheEnd) {
  const Result result = grade_as("says-goodbye");
  EXPECT_NE(result.program_output.find("goodbye"), std::string::npos) << result.program_output;
}

TEST_F(Judge, FaultsOfOursCostNothing) {
  const Result broken = grade_as("right", false, "roof-broken");
  EXPECT_EQ(broken.verdict, Verdict::kError) << summary(broken);
  EXPECT_EQ(exit_status(broken), 3);
}

/// Broken by: a program that says what no honest one says, and is let off with "no fault of yours".
TEST_F(Judge, WhatOnlyThisFileBreaksIsItsOwnFault) {
  const Result interface = grade_as("another-interface");
  EXPECT_EQ(interface.verdict, Verdict::kFail) << summary(interface);
  EXPECT_EQ(interface.reason, Class::kCrashed) << summary(interface);
}

TEST_F(Judge, SameSeedSameQuestions) {
  const Result one = grade_as("half"), two = grade_as("half");
  ASSERT_EQ(one.checks.size(), two.checks.size());
  for (std::size_t i = 0; i < one.checks.size(); ++i) EXPECT_EQ(one.checks[i].message, two.checks[i].message);
}

TEST_F(Judge, TimesAgainstTheRoof) {
  // The fake device is this machine's CPU, busy with other tests: only what cannot be noise is asked for.
  const Result result = grade_as("right", true);
  ASSERT_EQ(result.measurements.size(), 1U) << summary(result);
  const Measurement& line = result.measurements[0];
  EXPECT_GT(line.achieved, 0);
  EXPECT_GE(line.time.n, 10U);  // four rounds of three or more, however busy the machine
  EXPECT_NEAR(line.fraction, line.achieved / line.roof.value, 1e-9);
  EXPECT_NE(result.find("bandwidth")->verdict, Verdict::kFail) << summary(result);
  // A GPU counts nothing: the point on the roofline is what the lab says a call must do.
  for (const RooflinePoint& point : result.profile.points) EXPECT_EQ(point.dram_bytes, 8 << 18);
  EXPECT_EQ(result.profile.points.size(), result.find("bandwidth")->verdict == Verdict::kNoisy ? 0U : 1U);
}

// Breaks when the worker's events are believed against the judge's clock: 500 us and more, of which they
// tell a tenth.
TEST_F(Judge, FalseEventsAreOverruled) {
  const Result result = grade_as("false-events", true);
  ASSERT_EQ(result.measurements.size(), 1U) << summary(result);
  EXPECT_GT(result.measurements[0].time.median_us, 150) << summary(result);
}

// Breaks when the clock stops before pieces of the outputs are here: by events a call takes no time at all.
TEST_F(Judge, TheClockRunsUntilPiecesAreHere) {
  const Result result = grade_as("late-look", true);
  ASSERT_EQ(result.measurements.size(), 1U) << summary(result);
  EXPECT_GT(result.measurements[0].time.median_us, 10) << summary(result);
}

TEST_F(Judge, WorkAfterTheClockIsSeen) {
  expect_slip("late-fetch", "was not written when the clock stopped");
}

// Breaks when the pieces that stopped the clock need not be what is fetched: the answer that is checked is
// right, and was written after the clock had stopped.
TEST_F(Judge, PiecesMustAgreeWithWhatIsFetched) {
  expect_slip("rewrites", "was still being written when the clock had stopped");
}

// Breaks when calls do not go round copies, or when it is known which one is looked at.
TEST_F(Judge, CallsGoRoundCopies) { expect_slip("one-copy", "was not written when the clock stopped"); }

// Breaks when samples of the same inputs share their scalars.
TEST_F(Judge, ScalarsAreNewInEverySample) { expect_slip("remembers", "elements of y"); }

// Breaks when a sample finds lines in L2 that a call of an earlier one asked it to keep.
TEST_F(Judge, SamplesFindNoPersistingLines) {
  const Result result = grade_as("keeps-lines", true);
  EXPECT_NE(result.verdict, Verdict::kFail) << summary(result);  // noisy where the machine is busy
}

// Breaks when more calls are put behind a gate than their launches find room there: each sample then waits
// until the gate gives up, half a millisecond a call.
TEST_F(Judge, NoMoreCallsBehindAGateThanTheQueueHolds) {
  const Lab lab = fixture();
  const Program& program = lab.parts[0].program;
  RigOptions options;
  options.device.simulated = false;
  options.cuda_library_directory = folder_;
  Rig rig(options, link(FAKE_SUBMISSIONS, "axpb-many-launches"), program, 1 << 20, 1 << 20);
  const DeviceFacts facts = facts_from(rig.gpu().facts());
  const Settings settings({{"n", 1000}}, facts);
  GpuSeries series(rig, program, settings, facts, 11);
  ASSERT_FALSE(series.warm_up(0.01));
  ASSERT_FALSE(series.round());
  EXPECT_LT(summarise(series.seconds()).median_us, 200);
}

TEST_F(Judge, ADeviceThatDriftsGivesNoVerdict) {
  const Result result = grade_as("right", true, "roof-drifts");
  EXPECT_EQ(name_of(result.find("bandwidth")->verdict), "noisy") << summary(result);
  EXPECT_EQ(exit_status(result), 3);
}

TEST_F(Judge, NoMedalsBeforeTheAnswerIsRight) {
  const Result result = grade_as("zeros", true);
  EXPECT_TRUE(result.measurements.empty());
  EXPECT_EQ(result.find("bandwidth")->verdict, Verdict::kSkipped);
  EXPECT_EQ(result.verdict, Verdict::kFail);
  EXPECT_EQ(result.medal, Medal::kNone);
}

}  // namespace
}  // namespace roofline::grader
