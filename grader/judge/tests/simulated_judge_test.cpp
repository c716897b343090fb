// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The judge on the simulated device: what only the machine can tell (traps with their line, counters, virtual
// time).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "grader/base/error.h"
#include "grader/base/file.h"
#include "grader/call/examine.h"
#include "grader/call/rig.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/grading.h"
#include "grader/judge/judge.h"
#include "worker/protocol.h"

namespace roofline::grader::simulated_judge {
namespace {

namespace fs = std::filesystem;

void axpb(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  const double a = call.scalar("a"), b = call.scalar("b");
  for (auto i = begin; i < end; ++i) expected[i - begin] = {a * x[i] + b, std::abs(a * x[i]) + std::abs(b)};
}

Lab fixture() {
  Part part{
      .program = {.header = "axpb.h",
                  .source = "axpb.cu",
                  .function = "axpb",
                  .arguments = {in("x", "n"), out("y", "n"), scalar("a"), scalar("b"), size("n"), stream()},
                  .outputs = {{.argument = "y", .reference = axpb, .tolerance = {.c = 2}}}},
      .cases = common_cases({.sizes = {0, 1, 257, 4096}, .misaligned = {1}, .in_place = {{"y", "x"}}}),
      .goals = {{.id = "bandwidth",
                 .title = "fraction of the copy roof",
                 .settings = {{"n", 1 << 20}},
                 .roof = "copy",
                 .work = [](const Settings& s) { return 8 * s["n"]; },
                 .thresholds = {{0, {.pass = 0.1, .good = 0.5, .excellent = 0.9}}}}},
      .structure = {one_kernel(), coalesced(1.1), no_local_memory()},
      .deadline_seconds = 6,
  };
  return {.folder = "99-fixture", .title = "fixture", .parts = {part}};
}

class SimulatedJudge : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("simulated_judge_test-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    roof_cache_ = folder_;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Result grade_as(const std::string& behaviour, unsigned threads = 0, const std::vector<Case>& cases = {}) {
    Lab lab = fixture();
    lab.parts[0].second_device = second_device_;
    if (!second_device_.empty()) lab.parts[0].goals[0].thresholds = {{0, thresholds_}};
    if (!cases.empty()) lab.parts[0].cases = cases;
    const fs::path worker = folder_ / ("axpb-" + behaviour);
    if (!fs::exists(worker)) fs::create_symlink(AXPB_WORKER, worker);
    GradeOptions options;
    options.seed = 21;
    options.threads = threads;
    options.simulator_directory = fs::path(ROOFLINE_BUILD) / "simulator";
    options.roof_cache = roof_cache_;
    options.roofs_that_came = roofs_that_came_;
    options.roof_worker = [](const Roof&) { return fs::path(COPY_WORKER); };
    options.enough = enough_;
    return grade(lab, lab.parts[0], {worker, {}}, {}, options);
  }
  static std::string summary(const Result& result) {
    std::string text(name_of(result.verdict));
    for (const Check& check : result.checks) {
      text += "\n  " + check.id + " " + std::string(name_of(check.verdict)) + " " +
              std::string(name_of(check.reason)) + ": " + check.message;
    }
    return text + "\n" + result.program_output;
  }
  Check expect_failure(const std::string& behaviour, Class reason) {
    const Result result = grade_as(behaviour);
    EXPECT_EQ(result.verdict, Verdict::kFail) << summary(result);
    EXPECT_EQ(name_of(result.reason), name_of(reason)) << summary(result);
    for (const Check& check : result.checks) {
      if (check.verdict == Verdict::kFail) return check;
    }
    return {};
  }

  fs::path folder_, roof_cache_, roofs_that_came_;
  std::function<bool(const std::vector<Check>&)> enough_{};
  std::string second_device_;
  Thresholds thresholds_;
};

TEST_F(SimulatedJudge, RightPassesAndIsMeasured) {
  const Result result = grade_as("right");
  EXPECT_EQ(result.verdict, Verdict::kPass) << summary(result);
  ASSERT_EQ(result.measurements.size(), 1U);
  EXPECT_GT(result.measurements[0].fraction, 0.3);
  EXPECT_LT(result.measurements[0].achieved, result.measurements[0].roof.data_sheet);
  ASSERT_FALSE(result.kernels.empty());
  EXPECT_EQ(result.kernels[0].name, "right");
  EXPECT_NEAR(result.kernels[0].sectors, (1 << 20) / 4.0, 1)
      << "one sector holds eight floats, read and written";
}

// Breaks when the second device is not asked, is asked before the first is excellent, or fails a file.
TEST_F(SimulatedJudge, TheSecondDeviceDecidesBetweenGoodAndExcellent) {
  second_device_ = "h200";
  thresholds_ = {.pass = 0.1, .good = 0.2, .excellent = 0.3};
  const Result both = grade_as("right");
  ASSERT_EQ(both.measurements.size(), 2U) << summary(both);
  EXPECT_EQ(both.measurements[0].device, "");
  EXPECT_EQ(both.measurements[1].id, "bandwidth-h200");
  EXPECT_NE(both.measurements[1].device.find("H200"), std::string::npos);
  const double here = both.measurements[0].fraction, there = both.measurements[1].fraction;
  ASSERT_LT(there, here) << "a megabyte is less for a GPU with three times the bandwidth";
  thresholds_.excellent = (here + there) / 2;
  const Result half = grade_as("right");
  EXPECT_EQ(half.verdict, Verdict::kPass) << summary(half);
  EXPECT_EQ(half.medal, Medal::kGood) << summary(half);
  EXPECT_NE(half.find("bandwidth-h200")->message.find("excellent asks for"), std::string::npos);
  thresholds_.excellent = here * 1.01;
  EXPECT_EQ(grade_as("right").measurements.size(), 1U) << "good here: not asked there";
}

/// A GPU that is like a simulated one, for what is decided before it times anything.
class BeforeAGpu : public SimulatedJudge {
 protected:
  Counted count(
      const std::string& behaviour, const std::function<void(Goal&)>& change = [](Goal&) {}) {
    Lab lab = fixture();
    change(lab.parts[0].goals[0]);
    const fs::path worker = folder_ / ("axpb-" + behaviour);
    if (!fs::exists(worker)) fs::create_symlink(AXPB_WORKER, worker);
    const BuiltSubmission submission{worker, {}};
    GradeOptions options;
    options.seed = 21;
    options.simulator_directory = fs::path(ROOFLINE_BUILD) / "simulator";
    options.roof_cache = roof_cache_;
    options.roof_worker = [](const Roof&) { return fs::path(COPY_WORKER); };
    DeviceFacts gpu = simulated_facts({.id = "h200"}, options.simulator_directory);
    gpu.simulated = false;
    gpu.id.clear();
    const DeviceChoice device{.simulated = false};
    Grading grading{lab, lab.parts[0], submission, device, options, gpu, {}};
    Counted counted = count_in_simulation(grading);
    EXPECT_GT(grading.calls, 0U) << "a seed was used twice";
    EXPECT_TRUE(grading.result.checks.empty() && grading.result.measurements.empty()) << "a simulated time";
    return counted;
  }
};

// Breaks when what a GPU cannot count is not decided on the simulated device most like it.
TEST_F(BeforeAGpu, StructureIsCounted) {
  const Counted right = count("right");
  EXPECT_FALSE(right.fault) << right.fault->message;
  ASSERT_EQ(right.structure.size(), 3U);
  for (const Check& rule : right.structure) {
    EXPECT_EQ(rule.verdict, Verdict::kPass) << rule.id << ": " << rule.message;
    EXPECT_NE(rule.title.find("on the simulated NVIDIA H200"), std::string::npos) << rule.title;
  }
  const Counted halves = count("two-kernels");
  ASSERT_EQ(halves.structure.size(), 3U);
  EXPECT_EQ(halves.structure[0].verdict, Verdict::kFail);
  EXPECT_EQ(name_of(halves.structure[0].reason), "wrong-structure");
}

// Break when work that was not done, or a wrong answer of the graded size, is left to the GPU; and when a
// time of the simulated device is held against a file.
TEST_F(BeforeAGpu, SkippedWorkIsRefused) {
  const auto declared = [](double flops) {
    return [flops](Goal& goal) {
      goal.flops = {[flops](const Settings& s) { return flops * s["n"]; }, {sim::FlopType::kF32}};
    };
  };
  EXPECT_FALSE(count("right", declared(2)).fault);
  const Counted tenth = count("right", declared(20));
  ASSERT_TRUE(tenth.fault);
  EXPECT_EQ(name_of(tenth.fault->reason), "impossible") << tenth.fault->message;
}

TEST_F(BeforeAGpu, ASlowTimeIsNoFault) {
  const auto never = [](Goal& goal) {
    goal.thresholds = {{0, {.pass = 0.99, .good = 0.995, .excellent = 1}}};
  };
  EXPECT_FALSE(count("right", never).fault);
}

// Breaks when a roof that was computed once, here or by whoever handed the course out, is computed again.
TEST_F(SimulatedJudge, ARoofIsComputedOnceAndTravels) {
  const double value = grade_as("right").measurements.at(0).roof.value;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.path().filename().string().find("-copy-") != std::string::npos) files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1U);
  const double seconds = std::stod(read_file(files[0]));
  const auto half_as_fast = [&] { write_file(files[0], std::to_string(2 * seconds * 1e6) + "e-6\n"); };
  half_as_fast();
  EXPECT_NEAR(grade_as("right").measurements.at(0).roof.value, value / 2, value * 1e-3) << "what lies here";
  roofs_that_came_ = folder_;
  roof_cache_ = folder_ / "of-a-student";
  fs::create_directories(roof_cache_);
  EXPECT_NEAR(grade_as("right").measurements.at(0).roof.value, value / 2, value * 1e-3) << "what came";
  EXPECT_TRUE(fs::is_empty(roof_cache_));
}

TEST_F(SimulatedJudge, ResultsDoNotDependOnThreadsOrRuns) {
  const Result one = grade_as("right", 1), two = grade_as("right", 2), again = grade_as("right", 2);
  ASSERT_EQ(one.measurements.size(), 1U);
  EXPECT_EQ(one.measurements[0].fraction, two.measurements[0].fraction);
  EXPECT_EQ(one.measurements[0].time.median_us, two.measurements[0].time.median_us);
  EXPECT_EQ(two.measurements[0].fraction, again.measurements[0].fraction);
  EXPECT_EQ(one.points, two.points);
}

void expect_marked_line(const Check& check) {
  EXPECT_NE(check.file.find("axpb.cu"), std::string::npos) << check.message;
  std::ifstream source(AXPB_SOURCE);
  std::string line;
  for (unsigned i = 0; i < check.line; ++i) std::getline(source, line);
  EXPECT_NE(line.find("the test looks for this line"), std::string::npos) << check.line;
}

/// Would fail if a grade that may end went on, or ended before it was told to.
TEST_F(SimulatedJudge, EndsWhereEnoughIsKnown) {
  const Result whole = grade_as("one-thread");
  enough_ = [](const std::vector<Check>& checks) { return checks.back().reason == Class::kWrongAnswer; };
  const Result ended = grade_as("one-thread");
  EXPECT_EQ(ended.reason, whole.reason) << summary(ended);
  ASSERT_LT(ended.checks.size(), whole.checks.size()) << summary(ended);
  for (std::size_t i = 0; i < ended.checks.size(); ++i) EXPECT_EQ(ended.checks[i].id, whole.checks[i].id);
  enough_ = [](const std::vector<Check>&) { return false; };
  EXPECT_EQ(grade_as("one-thread").checks.size(), whole.checks.size());
}

TEST_F(SimulatedJudge, OutOfBoundsNamesTheLine) {
  const Check check = expect_failure("unguarded", Class::kOutOfBounds);
  EXPECT_NE(check.message.find("past the end"), std::string::npos) << check.message;
  expect_marked_line(check);
}

// Breaks when a student's page shows what an instructor keeps: a size, a value, or what the program printed
// of it.
TEST_F(SimulatedJudge, AHiddenCaseTellsNeitherSizeNorValues) {
  Case kept;
  kept.id = "hidden-1", kept.hidden = true, kept.title = "hidden case 1", kept.settings = {{"n", 54321}};
  const Result result = grade_as("unguarded", 0, {kept});
  const Check* hidden = result.find("hidden-1");
  ASSERT_NE(hidden, nullptr);
  EXPECT_EQ(hidden->verdict, Verdict::kFail) << summary(result);
  EXPECT_EQ(hidden->reason, Class::kOutOfBounds) << "the kind of the fault is told";
  EXPECT_TRUE(hidden->detail.empty());
  EXPECT_EQ(hidden->line, 0) << "a program says what its lines are called (#line): they would spell the size";
  EXPECT_EQ(hidden->file, "");
  const std::string told = summary(result);
  EXPECT_EQ(told.find("54321"), std::string::npos) << told;
  EXPECT_EQ(hidden->message, "an instructor's case: sizes and values are not shown");
}

// Breaks when a case that never ran is said to have crashed, or to have hung.
TEST_F(SimulatedJudge, WhatWasNotRunHasNoFault) {
  const Result result = grade_as("hangs");
  ASSERT_EQ(result.find("n-257")->reason, Class::kTimeout) << summary(result);
  std::size_t not_run = 0;
  for (const Check& check : result.checks) {
    if (!check.message.starts_with("not run")) continue;
    ++not_run;
    EXPECT_EQ(check.verdict, Verdict::kSkipped);
    EXPECT_EQ(check.reason, Class::kNone);
  }
  EXPECT_GT(not_run, 0U) << summary(result);
  EXPECT_EQ(result.verdict, Verdict::kFail);
}

// Breaks when small cases no longer run with the checks of the simulated device: both kernels give right
// answers.
TEST_F(SimulatedJudge, RightByLuckIsRefused) {
  const Check race = expect_failure("early", Class::kRace);
  EXPECT_NE(race.message.find("__syncthreads"), std::string::npos) << race.message;
  expect_marked_line(race);
  const Check unwritten = expect_failure("unwritten", Class::kUninitialised);
  EXPECT_NE(unwritten.message.find("nobody wrote"), std::string::npos) << unwritten.message;
}

TEST_F(SimulatedJudge, MisalignedVectorAccess) {
  EXPECT_EQ(expect_failure("aligned", Class::kMisaligned).id, "misaligned-1");
}

TEST_F(SimulatedJudge, EndlessKernelIsStoppedAndNamed) {
  const Result result = grade_as("hangs");
  ASSERT_NE(result.find("n-257"), nullptr);
  EXPECT_EQ(name_of(result.find("n-257")->reason), "timeout") << summary(result);
  EXPECT_NE(result.find("n-257")->message.find("hangs"), std::string::npos) << summary(result);
}

// Breaks when a program that was stopped is told no more than that, though the device knows why.
TEST_F(SimulatedJudge, WhatAStoppedProgramWaitedForIsSaid) {
  const Result asks = grade_as("asks-for-ever");
  ASSERT_NE(asks.find("n-1"), nullptr);
  EXPECT_EQ(name_of(asks.find("n-1")->reason), "timeout") << summary(asks);
  EXPECT_NE(asks.find("n-1")->message.find("only asked whether an event"), std::string::npos)
      << summary(asks);
  const Check error = expect_failure("asks-after-an-error", Class::kOutOfBounds);
  EXPECT_NE(error.message.find("and was stopped: a loop that waits for cudaSuccess"), std::string::npos)
      << error.message;
  EXPECT_GT(error.line, 0);
}

// Breaks when a kernel without an end is said to be a loop of the host, too.
TEST_F(SimulatedJudge, AnEndlessKernelIsTheOnlyCauseThatIsSaid) {
  const Check hang = expect_failure("asks-after-a-hang", Class::kTimeout);
  EXPECT_NE(hang.message.find("kernel 'hangs'"), std::string::npos) << hang.message;
  EXPECT_EQ(hang.message.find("cudaSuccess"), std::string::npos) << hang.message;
}

// Breaks when a printf that was left in is told as a computer that is busy.
TEST_F(SimulatedJudge, AFloodOfWordsIsSaid) {
  const Check flood = expect_failure("prints-for-ever", Class::kTimeout);
  EXPECT_NE(flood.message.find("printed more than 64 KiB"), std::string::npos) << flood.message;
}

// Breaks when a program that checks its launches is told no more than that it ended.
TEST_F(SimulatedJudge, AProgramThatEndsAfterARefusalIsToldWhatWasRefused) {
  const std::string said = expect_failure("checks-a-refusal", Class::kCrashed).message;
  EXPECT_NE(said.find("exit status 1\nthe launch of right is refused: "), std::string::npos) << said;
  EXPECT_NE(said.find("axpb.cu: an error"), std::string::npos) << said;
}

// Breaks when an index of 32 bits is left to a GPU, or an honest kernel is said to have one.
TEST_F(SimulatedJudge, AddressesBeyond2To31AreTried) {
  const std::vector<Case> cases = {
      {.id = "n-257", .title = "n = 257", .settings = {{"n", 257}}},
      {.id = "beyond", .title = "beyond", .settings = {{"n", 2.2e9}}, .gpu_only = true, .needs_memory = 1}};
  const Result right = grade_as("right", 0, cases);
  EXPECT_EQ(right.find("beyond")->verdict, Verdict::kSkipped) << summary(right);
  EXPECT_NE(right.find("beyond")->message.find("only a GPU decides it"), std::string::npos);
  const Result wrong = grade_as("index-of-32-bits", 0, cases);
  EXPECT_EQ(wrong.find("n-257")->verdict, Verdict::kPass) << summary(wrong);
  EXPECT_EQ(wrong.find("beyond")->reason, Class::kOutOfBounds) << summary(wrong);
  EXPECT_GT(wrong.find("beyond")->line, 0) << "the source line";
}

// Breaks when the judge waits for a program without that its time is counted: in the case beyond 2^31 one
// that does not start is no verdict.
TEST_F(SimulatedJudge, AStartThatFailsBeyond2To31TakesTime) {
  Lab lab = fixture();
  lab.parts[0].cases = {
      {.id = "beyond", .title = "beyond", .settings = {{"n", 2.2e9}}, .gpu_only = true, .needs_memory = 1}};
  const fs::path worker = folder_ / "axpb-ends-late";
  fs::create_symlink(AXPB_WORKER, worker);
  GradeOptions options;
  options.simulator_directory = fs::path(ROOFLINE_BUILD) / "simulator";
  options.limits.wall_seconds = 0.3;
  const BuiltSubmission submission{worker, {}};
  const DeviceChoice device;
  Grading grading{.lab = lab,
                  .part = lab.parts[0],
                  .submission = submission,
                  .device = device,
                  .options = options,
                  .facts = device_facts(device, options),
                  .result = {}};
  grade_correctness(grading, device, "");
  EXPECT_EQ(name_of(grading.budget->exhausted().reason), "timeout");
}

// Breaks when a copy that is refused is explained by what may be wrong with a launch.
TEST_F(SimulatedJudge, RefusedCopyIsExplainedAsACopy) {
  const Check check = expect_failure("direction", Class::kCrashed);
  EXPECT_NE(check.message.find("its direction does not fit the two pointers"), std::string::npos)
      << check.message;
  EXPECT_EQ(check.message.find("blocks"), std::string::npos) << check.message;
}

TEST_F(SimulatedJudge, DivergentBarrierIsNotAHang) { expect_failure("barrier", Class::kDeadlock); }

TEST_F(SimulatedJudge, WorkOfTheHostIsRefusedThoughRight) {
  expect_failure("host", Class::kHostComputed);
  const Result result = grade_as("host");
  EXPECT_NE(result.find("n-1")->message.find("no kernel ran"), std::string::npos) << summary(result);
  EXPECT_NE(result.find("n-4096")->message.find("16384 copied"), std::string::npos) << summary(result);
  expect_failure("pinned", Class::kHostComputed);
}

TEST_F(SimulatedJudge, SkeletonIsNotImplementedAndNoOpIsWrong) {
  const Result skeleton = grade_as("skeleton");
  EXPECT_EQ(name_of(skeleton.reason), "not-implemented") << summary(skeleton);
  EXPECT_EQ(skeleton.points, 0);
  expect_failure("one-thread", Class::kWrongAnswer);
}

// Breaks when a size that was left out takes the points of all that is right.
TEST_F(SimulatedJudge, ASizeThatIsLeftOutIsWrong) {
  const Result result = grade_as("small-only");
  EXPECT_EQ(name_of(result.reason), "wrong-answer") << summary(result);
  ASSERT_NE(result.find("bandwidth"), nullptr);
  EXPECT_EQ(result.find("bandwidth")->message, "nothing was written here");
  EXPECT_GT(result.points, 0);
}

TEST_F(SimulatedJudge, AWaitForKernelsAloneIsSaidAndCostsNothing) {
  const Result right = grade_as("right"), waits = grade_as("waits");
  EXPECT_EQ(right.find("host-waits"), nullptr) << "the worker's own waits do not count";
  ASSERT_NE(waits.find("host-waits"), nullptr) << summary(waits);
  EXPECT_NE(waits.find("host-waits")->message.find("cudaDeviceSynchronize"), std::string::npos);
  EXPECT_EQ(waits.verdict, Verdict::kPass) << summary(waits);
  EXPECT_EQ(waits.points, right.points);
  const Result frees = grade_as("frees");
  ASSERT_NE(frees.find("host-waits"), nullptr) << "cudaFree waits for the device: " << summary(frees);
  EXPECT_EQ(frees.verdict, Verdict::kPass) << summary(frees);
  const Result two = grade_as("two-kernels-frees");
  ASSERT_NE(two.find("host-waits"), nullptr)
      << "nothing was copied, so nothing to wait for: " << summary(two);
  EXPECT_NE(two.find("host-waits")->message.find("cudaFree() waits"), std::string::npos);
  EXPECT_NE(two.find("host-waits")->message.find("cudaMalloc() cost far more than in simulated time"),
            std::string::npos);
  const Result copies = grade_as("copies-and-frees");
  ASSERT_NE(copies.find("host-waits"), nullptr) << "whatever else it waits for: " << summary(copies);
  EXPECT_NE(copies.find("host-waits")->message.find("every call frees memory"), std::string::npos);
  EXPECT_EQ(grade_as("allocates-in-order").find("host-waits"), nullptr)
      << "cudaFreeAsync() waits for nothing";
}

TEST_F(SimulatedJudge, AKernelThatPrintsIsToldSoAndLosesNothing) {
  const Result right = grade_as("right"), prints = grade_as("prints");
  EXPECT_EQ(right.find("kernels-print"), nullptr);
  ASSERT_NE(prints.find("kernels-print"), nullptr) << summary(prints);
  EXPECT_NE(prints.find("kernels-print")->message.find("take it out"), std::string::npos);
  EXPECT_EQ(prints.verdict, Verdict::kPass) << summary(prints);
}

TEST_F(SimulatedJudge, WhatEveryCallLeavesBehindIsALeak) {
  EXPECT_NE(expect_failure("leaks", Class::kNotReleased).message.find("1 device allocation more"),
            std::string::npos);
  EXPECT_NE(expect_failure("events", Class::kNotReleased).message.find("1 event more"), std::string::npos);
  const Result keeps = grade_as("keeps");
  EXPECT_EQ(keeps.verdict, Verdict::kPass) << "made once: " << summary(keeps);
}

TEST_F(SimulatedJudge, EmptyLaunchIsAnErrorAtZeroElements) {
  const Check check = expect_failure("empty-launch", Class::kCrashed);
  EXPECT_EQ(check.id, "n-0");
  EXPECT_NE(check.message.find("cudaErrorInvalidValue"), std::string::npos) << check.message;
  EXPECT_NE(check.message.find("return before the launch"), std::string::npos) << check.message;
}

TEST_F(SimulatedJudge, UnknownDeviceIsOurFaultNotTheirs) {
  const Lab lab = fixture();
  GradeOptions options;
  options.simulator_directory = fs::path(ROOFLINE_BUILD) / "simulator";
  DeviceChoice device;
  device.id = "no-such-device";
  const Result result = grade(lab, lab.parts[0], {AXPB_WORKER, {}}, device, options);
  EXPECT_EQ(result.verdict, Verdict::kError);
}

/// A worker whose answers are wrong in one word, or too long or too short, against one call.
class Lies : public SimulatedJudge {
 protected:
  /// None where the call was right in spite of the lie.
  Fault told(std::size_t bytes, std::size_t at, std::uint32_t value, long longer) {
    const std::string name = "axpb-lies-" + std::to_string(bytes) + "-" + std::to_string(at) + "-" +
                             std::to_string(value) + "-" + std::to_string(longer);
    const fs::path worker = folder_ / name;
    if (!fs::exists(worker)) fs::create_symlink(AXPB_WORKER, worker);
    CallShape shape;
    shape.settings.set("n", 257);
    shape.seed = 5;
    const Lab lab = fixture();
    const CallPlan plan(lab.parts[0].program, shape);
    RigOptions options;
    options.simulator_directory = fs::path(ROOFLINE_BUILD) / "simulator";
    options.machine.threads = 1;
    options.deadline_seconds = 20;
    options.budget = std::make_shared<Budget>(BudgetLimits{});
    try {
      Rig rig(options, worker, lab.parts[0].program, plan.input_bytes(), plan.output_bytes());
      const CallOutcome outcome = rig.call(plan);
      return examine(plan, outcome, rig.input(), {}).fault;
    } catch (const StartFault& fault) {
      return {Class::kCrashed, fault.what(), {}, 0};
    } catch (const InfrastructureError& error) {  // another interface, or another grader's worker
      return {Class::kInfrastructure, error.what(), {}, 0};
    }
  }
};

// Breaks when a record of another length, or an address that is none, is believed.
TEST_F(Lies, AboutLengthAndPlaceAreFound) {
  EXPECT_FALSE(told(1, 0, 0, 0)) << "no record is that short: this is the truth";
  for (const long longer : {-1L, 1L, -static_cast<long>(sizeof(worker::Reply)) + 4}) {
    EXPECT_EQ(told(sizeof(worker::Reply), 0, 1, longer).reason, Class::kCrashed) << longer;
    EXPECT_TRUE(told(sizeof(worker::Hello), 0, worker::kProtocolVersion, longer < -1 ? -4 : longer))
        << longer;
  }
  const std::size_t address = offsetof(worker::Reply, addresses);
  EXPECT_EQ(told(sizeof(worker::Reply), address, 12288, 0).reason, Class::kHostComputed);
  EXPECT_EQ(told(sizeof(worker::Reply), address + 8, 12288, 0).reason, Class::kHostComputed);
}

// Every word of every answer in turn, with numbers that it should not have. Broken by: a field that the judge
// uses unchecked; sanitizers watch. ROOFLINE_LIES: how many (40), each at another place; ROOFLINE_LIES_FROM:
// the first.
TEST_F(Lies, NeverCostTheJudgeMoreThanTheCall) {
  constexpr std::uint32_t kValues[] = {0, 1, 0x7fffffff, 0xffffffff, 0x80000000, 4096};
  const auto number = [](const char* name, std::size_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : static_cast<std::size_t>(std::atol(text));
  };
  const std::size_t hello = sizeof(worker::Hello) / 4, words = hello + sizeof(worker::Reply) / 4;
  const std::size_t first = number("ROOFLINE_LIES_FROM", 0), count = number("ROOFLINE_LIES", 40);
  std::size_t found = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    const std::size_t word = i * 37 % words;  // no two alike before all words had their turn
    const bool in_hello = word < hello;
    const Fault fault =
        told(in_hello ? sizeof(worker::Hello) : sizeof(worker::Reply), 4 * (in_hello ? word : word - hello),
             kValues[(i / words + i) % std::size(kValues)], 0);
    found += fault ? 1 : 0;
  }
  EXPECT_GT(found, 0U);
}

}  // namespace
}  // namespace roofline::grader::simulated_judge
