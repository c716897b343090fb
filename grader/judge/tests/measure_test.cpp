// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The arithmetic from times to medals, points and verdicts; no device.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "grader/call/environment.h"
#include "grader/judge/answer.h"
#include "grader/judge/performance_checks.h"
#include "grader/judge/prediction.h"
#include "grader/judge/score.h"
#include "grader/judge/structure_rules.h"
#include "grader/result/statistics.h"

namespace roofline::grader {
namespace {

TEST(Statistics, QuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile({7}, 0.75), 7);
  EXPECT_DOUBLE_EQ(quantile({}, 0.5), 0);
  const TimeSummary times = summarise({1e-6, 2e-6, 3e-6});
  EXPECT_DOUBLE_EQ(times.median_us, 2);
  EXPECT_EQ(times.n, 3U);
  EXPECT_DOUBLE_EQ(spread(times), 0.5);
}

TEST(Statistics, DriftIsBetweenTheHalves) {
  EXPECT_DOUBLE_EQ(drift({1, 1, 1, 1.5, 1.5, 1.5}), 0.5);
  EXPECT_DOUBLE_EQ(drift({2, 2, 2, 1, 1, 1}), 0.5);
  EXPECT_DOUBLE_EQ(drift({1, 9, 1, 1, 9, 1}), 0);  // an outlier is none
  EXPECT_DOUBLE_EQ(drift({}), 0);
}

TEST(Thresholds, TheHighestCapabilityNotAboveHolds) {
  const ThresholdTable table = {{0, {.1, .2, .3}}, {90, {.4, .5, .6}}, {80, {.2, .3, .4}}};
  EXPECT_DOUBLE_EQ(thresholds_for(table, 75).pass, .1);
  EXPECT_DOUBLE_EQ(thresholds_for(table, 80).pass, .2);
  EXPECT_DOUBLE_EQ(thresholds_for(table, 89).pass, .2);
  EXPECT_DOUBLE_EQ(thresholds_for(table, 120).pass, .4);
  const Thresholds t{.6, .8, .9};
  EXPECT_EQ(medal_for(0.59, t), Medal::kNone);
  EXPECT_EQ(medal_for(0.60, t), Medal::kPass);
  EXPECT_EQ(medal_for(0.85, t), Medal::kGood);
  EXPECT_EQ(medal_for(0.90, t), Medal::kExcellent);
  EXPECT_EQ(medal_for(std::nan(""), t), Medal::kNone) << "no time is no medal";
}

// Breaks when a medal goes to everybody because a lab did not say what it asks for.
TEST(Thresholds, OneThatIsNotGivenIsNeverReached) {
  EXPECT_EQ(medal_for(2, Thresholds{.pass = .6, .good = .8}), Medal::kGood);
  EXPECT_EQ(medal_for(2, Thresholds{.good = .8, .excellent = .9}), Medal::kNone);
  EXPECT_EQ(medal_for(2, thresholds_for({{90, {.4, .5, .6}}}, 80)), Medal::kNone);
  EXPECT_EQ(medal_for(0, PerMedal::zeros()), kBestMedal) << "what asks for nothing";
}

Roof gigabytes() { return {.id = "copy", .unit = "GB/s", .unit_scale = 1e9}; }

TEST(Performance, BeyondTheDataSheetIsImpossible) {
  TimedSeries series;
  series.time = {100, 100, 100, 2};
  series.roof.unit = "GB/s";
  series.roof.value = 1400;
  series.roof.data_sheet = 1555;
  const Thresholds t{.6, .8, .9};
  const auto grade = [&](double bytes) {
    return performance_check(measurement(series, bytes, gigabytes(), t), series, true);
  };
  EXPECT_EQ(grade(130e6).verdict, Verdict::kPass);  // 1300 GB/s
  EXPECT_EQ(grade(150e6).verdict, Verdict::kPass) << "above the copy roof, below the pins";
  EXPECT_EQ(grade(160e6).reason, Class::kImpossible);
  EXPECT_EQ(grade(60e6).reason, Class::kTooSlow);
}

// Breaks when a program that waits for its data is told to change its kernels.
TEST(Performance, KernelsAreNotBlamedForDataFromTheHost) {
  TimedSeries series;
  series.time = {100, 100, 100, 1};
  series.roof.value = 1400;
  series.region.emplace();
  series.region->kernels.emplace_back();
  series.region->kernels.back().limiter = "latency";
  const auto limiter = [&] { return measurement(series, 1e6, gigabytes(), {.6, .8, .9}).limiter; };
  series.region->host_to_device_bytes = 64;
  EXPECT_EQ(limiter(), "latency");
  series.region->host_to_device_bytes = 1 << 20;
  EXPECT_EQ(limiter(), "");
}

// Breaks when noise takes a medal that it cannot change, or gives one that it could.
TEST(Performance, NoiseMattersOnlyNearAThreshold) {
  TimedSeries series;
  series.time = {100, 98, 103, 20};
  series.roof.unit = "GB/s";
  series.roof.value = 1000;
  series.doubt = 0.05;
  const auto verdict = [&](double fraction) {
    return name_of(
        performance_check(measurement(series, fraction * 100e6, gigabytes(), {.6, .8, .9}), series, false)
            .verdict);
  };
  EXPECT_EQ(verdict(0.99), "pass");
  EXPECT_EQ(verdict(0.70), "pass");
  EXPECT_EQ(verdict(0.50), "fail");
  for (const double near : {0.58, 0.62, 0.78, 0.82, 0.88, 0.92}) EXPECT_EQ(verdict(near), "noisy") << near;
  series.doubt = 0;
  EXPECT_EQ(verdict(0.92), "pass");
}

SweepResult sweep_result() {
  SweepResult result;
  result.id = "s";
  result.argument = "repeat";
  result.memory_roof.value = 1000;
  result.compute_roof.value = 10;
  // 1 GB, repeat = intensity: perfect roofline with its ridge at 10.
  for (const double repeat : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
    const double seconds = std::max(1e-3, repeat * 1e-4);
    result.points.push_back(
        {repeat, repeat, 1e-0 / seconds, repeat * 1e-3 / seconds, 0, {seconds * 1e6, 0, 0, 1}, ""});
  }
  return result;
}

const Sweep kSweep{.id = "s",
                   .title = "s",
                   .argument = "repeat",
                   .lowest = {{0, {.8, .85, .9}}},
                   .highest = {{0, {.7, .8, .9}}},
                   .knee = {{0, {.pass = 0.8}}},
                   .flatness = 0.05};

TEST(Median, IsSettledWhereItsNeighboursEarnTheSameMedal) {
  const Thresholds thresholds{.pass = 0.8, .good = 0.9, .excellent = 0.98};
  const auto spread_around = [](double median, std::size_t n) {
    std::vector<double> fractions;
    for (std::size_t i = 0; i < n; ++i)
      fractions.push_back(median + 0.2 * (static_cast<double>(i) / static_cast<double>(n - 1) - 0.5));
    return fractions;
  };
  // Of 51 the 15th and the 37th decide, 0.044 to either side here; of 801 it is 0.011.
  EXPECT_TRUE(median_is_settled(spread_around(0.85, 51), thresholds));
  EXPECT_FALSE(median_is_settled(spread_around(0.83, 51), thresholds));
  EXPECT_FALSE(median_is_settled(spread_around(0.77, 51), thresholds));
  EXPECT_TRUE(median_is_settled(spread_around(0.83, 801), thresholds));
  EXPECT_FALSE(median_is_settled(spread_around(0.805, 801), thresholds));
  EXPECT_TRUE(median_is_settled(spread_around(0.7, 1), thresholds));
  EXPECT_FALSE(median_is_settled({}, thresholds));
}

TEST(Sweep, PerfectRooflinePasses) {
  SweepResult result = sweep_result();
  finish_sweep(result);
  EXPECT_NEAR(result.ridge, 10, 1e-9);
  EXPECT_NEAR(result.knee, 10, 1e-9);
  for (const SweepPoint& point : result.points) EXPECT_NEAR(point.roof_fraction, 1, 1e-9) << point.argument;
  const auto verdicts = judge_sweep(kSweep, result, {});
  ASSERT_EQ(verdicts.size(), 4U);
  for (const auto& verdict : verdicts)
    EXPECT_EQ(verdict.check.verdict, Verdict::kPass) << verdict.check.message;
  EXPECT_EQ(verdicts[0].line->medal, Medal::kExcellent);
}

TEST(Sweep, EachRuleCanFail) {
  const auto failing = [](const std::function<void(SweepResult&)>& spoil) {
    SweepResult result = sweep_result();
    spoil(result);
    finish_sweep(result);
    std::string failed;
    for (const auto& verdict : judge_sweep(kSweep, result, {})) {
      if (verdict.check.verdict != Verdict::kPass) failed += verdict.check.id + " ";
    }
    return failed;
  };
  EXPECT_EQ(failing([](SweepResult& r) { r.points[0].gbps = 700; }), "s-lowest ");
  EXPECT_EQ(failing([](SweepResult& r) { r.points.back().tflops = 6.9; }), "s-highest ");
  EXPECT_EQ(failing([](SweepResult& r) { r.points[3].tflops *= 0.7; }), "s-knee ") << "8 is nearest to 10";
  EXPECT_EQ(failing([](SweepResult& r) { r.points[1].time.median_us *= 1.06; }), "s-flat ");
  EXPECT_EQ(failing([](SweepResult& r) { r.points[3].time.median_us *= 1.5; }), "") << "8 is no longer flat";
}

TEST(Impossible, PinsAndLanes) {
  DeviceFacts facts;
  facts.pin_gbps = 1555;
  facts.fp32_tflops = 19.5;
  EXPECT_FALSE(impossible(1500, 19, facts));
  EXPECT_NE(impossible(1600, 1, facts)->find("which work was skipped?"), std::string::npos);
  EXPECT_TRUE(impossible(100, 20, facts));
  facts.tensor_tflops = 312;
  EXPECT_TRUE(impossible(100, 20, facts)) << "of a task whose operations are no Tensor Core's";
  constexpr sim::FlopType kTypes[] = {sim::FlopType::kF32, sim::FlopType::kTensorF16F32};
  EXPECT_FALSE(impossible(100, 300, facts, kTypes));
  EXPECT_TRUE(impossible(100, 313, facts, kTypes));
}

// Breaks when a launch without a stream is no longer noticed, or a stream of the submission's own is.
TEST(Stream, TheLegacyDefaultStreamIsRefused) {
  sim::Region region;
  EXPECT_FALSE(used_default_stream(region));
  sim::KernelRecord kernel;
  kernel.name = "_Z4axpbPKfPf";
  kernel.stream = 3;
  region.kernels = {kernel};
  EXPECT_FALSE(used_default_stream(region));
  region.default_stream_copies = 1;
  ASSERT_TRUE(used_default_stream(region));
  EXPECT_NE(used_default_stream(region)->find("cudaMemsetAsync(..., stream)"), std::string::npos);
  kernel.stream = 0;
  region.kernels.push_back(kernel);
  const auto launch = used_default_stream(region);
  ASSERT_TRUE(launch);
  EXPECT_NE(launch->find("axpb<<<blocks, threads, shared bytes, stream>>>"), std::string::npos) << *launch;
  region.kernels.back().graph_launch = 1;
  EXPECT_NE(used_default_stream(region)->find("cudaGraphLaunch(exec, stream)"), std::string::npos);
}

Check check_of(CheckKind kind, Verdict verdict, Class reason = Class::kNone) {
  Check check;
  check.kind = kind;
  check.verdict = verdict;
  check.reason = reason;
  return check;
}

Part full_part() {
  Part part;
  part.goals.resize(1);
  part.structure.resize(1);
  part.predictions.resize(1);
  return part;
}

Result perfect() {
  Result result;
  result.checks = {
      check_of(CheckKind::kCorrectness, Verdict::kPass), check_of(CheckKind::kCorrectness, Verdict::kPass),
      check_of(CheckKind::kPerformance, Verdict::kPass), check_of(CheckKind::kStructure, Verdict::kPass),
      check_of(CheckKind::kPrediction, Verdict::kPass)};
  result.measurements.resize(1);
  result.measurements[0].medal = Medal::kExcellent;
  return result;
}

TEST(Score, DefaultsAddUpToAHundred) {
  Result result = perfect();
  score(result, full_part());
  EXPECT_EQ(result.points, 100);
  EXPECT_EQ(result.max_points, 100);
  EXPECT_EQ(result.verdict, Verdict::kPass);
  EXPECT_EQ(result.medal, Medal::kExcellent);
}

TEST(Score, EachKindCosts) {
  Result good = perfect();
  good.measurements[0].medal = Medal::kGood;
  score(good, full_part());
  EXPECT_EQ(good.points, 90);
  Result wrong = perfect();
  wrong.checks[1] = check_of(CheckKind::kCorrectness, Verdict::kFail, Class::kWrongAnswer);
  score(wrong, full_part());
  EXPECT_EQ(wrong.points, 70) << "as the weakest pass";
  EXPECT_EQ(wrong.verdict, Verdict::kFail);
  EXPECT_EQ(wrong.reason, Class::kWrongAnswer);
  EXPECT_EQ(wrong.medal, Medal::kNone) << "no medal for a wrong answer";
  Result guess = perfect();
  guess.checks[4] = check_of(CheckKind::kPrediction, Verdict::kFail, Class::kWrongPrediction);
  score(guess, full_part());
  EXPECT_EQ(guess.points, 90);
  EXPECT_EQ(guess.verdict, Verdict::kPass) << "a prediction never decides";
}

// Breaks when a program to be repaired earns points for the cases in which its bug does not show.
TEST(Score, HalfARepairEarnsNothing) {
  Part part;
  part.repair = true;
  Result half;
  half.checks = {check_of(CheckKind::kCorrectness, Verdict::kPass),
                 check_of(CheckKind::kCorrectness, Verdict::kFail, Class::kRace)};
  score(half, part);
  EXPECT_EQ(half.points, 0);
  half.checks[1] = check_of(CheckKind::kCorrectness, Verdict::kPass);
  score(half, part);
  EXPECT_EQ(half.points, 100);
  EXPECT_EQ(half.verdict, Verdict::kPass);
}

// Breaks when a refused kernel earns more than an honest one that passes.
TEST(Score, WhatIsNotPassedHasNoMoreThanAPass) {
  Result least = perfect();
  least.measurements[0].medal = Medal::kPass;
  least.checks[4] = check_of(CheckKind::kPrediction, Verdict::kFail, Class::kWrongPrediction);
  score(least, full_part());
  ASSERT_EQ(least.verdict, Verdict::kPass);
  EXPECT_EQ(least.points, 70) << "a pass keeps what it has";
  Result refused = perfect();
  refused.checks[3] = check_of(CheckKind::kStructure, Verdict::kFail, Class::kWrongStructure);
  score(refused, full_part());
  EXPECT_EQ(refused.points, 50);
  EXPECT_EQ(refused.lines.back().id, "medals");
  EXPECT_EQ(refused.lines.back().points, 0) << "no medal for a refused structure";
  Result slow = perfect();  // fast in one line, too slow in the other
  slow.measurements.push_back(slow.measurements[0]);
  slow.measurements[1].medal = Medal::kNone;
  slow.checks.push_back(check_of(CheckKind::kPerformance, Verdict::kFail, Class::kTooSlow));
  score(slow, full_part());
  EXPECT_EQ(slow.points, least.points);
  double sum = 0;
  for (const ScoreLine& line : slow.lines) sum += line.points;
  EXPECT_EQ(sum, slow.points) << "the lines say where every point went";
}

// Breaks when a kernel that is fast on one kind of input earns for it what it loses on the other.
TEST(Score, TheWorstGoalCounts) {
  Result mixed = perfect();
  mixed.measurements.push_back(mixed.measurements[0]);
  mixed.measurements[1].medal = Medal::kPass;
  Part part = full_part();
  score(mixed, part);
  EXPECT_EQ(mixed.points, 90) << "half of what a pass lacks";
  part.worst_goal_counts = true;
  score(mixed, part);
  EXPECT_EQ(mixed.points, 80);
  EXPECT_EQ(mixed.medal, Medal::kPass);
}

TEST(Score, NothingRanIsNeverAPass) {
  Result empty;
  score(empty, full_part());
  EXPECT_NE(empty.verdict, Verdict::kPass);
  Result built;
  built.checks = {check_of(CheckKind::kBuild, Verdict::kPass)};
  score(built, full_part());
  EXPECT_NE(built.verdict, Verdict::kPass);
  EXPECT_EQ(Result{}.verdict, Verdict::kFail) << "not passed until somebody says so";
}

TEST(Score, OurFaultsGoBeforeTheirs) {
  Result result = perfect();
  result.checks[0] = check_of(CheckKind::kCorrectness, Verdict::kFail, Class::kWrongAnswer);
  result.checks.push_back(check_of(CheckKind::kCorrectness, Verdict::kError, Class::kInfrastructure));
  score(result, full_part());
  EXPECT_EQ(result.verdict, Verdict::kError);
  EXPECT_EQ(exit_status(result), 3);
}

TEST(Score, WhatTheDeviceCannotCountCostsNothing) {
  Result result = perfect();
  result.checks[3] = check_of(CheckKind::kStructure, Verdict::kSkipped, Class::kUnsupportedDevice);
  result.checks[1] = check_of(CheckKind::kCorrectness, Verdict::kSkipped, Class::kUnsupportedDevice);
  score(result, full_part());
  EXPECT_EQ(result.points, 100);
  EXPECT_EQ(result.verdict, Verdict::kPass);
}

TEST(Environment, LeavesOutWhatTheDriverDoesNotSay) {
  const auto found = parse_smi(
      "580.95, 1980 MHz, 1980 MHz, 3201 MHz, 700.00 W, 0x0000000000000001, Enabled, 5, 16, [N/A], Enabled, "
      "34\n");
  ASSERT_EQ(found.size(), 11U);
  EXPECT_EQ(found[4], (std::pair<std::string, std::string>("power.limit", "700.00 W")));
  EXPECT_EQ(found.back().second, "34");
  EXPECT_TRUE(parse_smi("").empty());
}

class PredictionFile : public testing::Test {
 protected:
  std::vector<Check> grade(const std::string& content) {
    const auto path =
        std::filesystem::temp_directory_path() / ("prediction-" + std::to_string(getpid()) + ".toml");
    std::ofstream(path) << content;
    const std::vector<Prediction> asked = {
        {.key = "bytes", .question = "?", .expected = 8, .factor = 1.3, .unit = "B"},
        {.key = "regime", .question = "?", .word = "memory"}};
    auto checks = grade_predictions(asked, path);
    std::filesystem::remove(path);
    return checks;
  }
};

TEST_F(PredictionFile, NumbersWithinAFactor) {
  EXPECT_EQ(grade("bytes = 8\n")[0].verdict, Verdict::kPass);
  EXPECT_EQ(grade("bytes = 10.3\n")[0].verdict, Verdict::kPass);
  EXPECT_EQ(grade("bytes = 10.5\n")[0].reason, Class::kWrongPrediction);
  EXPECT_EQ(grade("bytes = 6.1\n")[0].verdict, Verdict::kFail);
  EXPECT_EQ(grade("bytes = -8\n")[0].verdict, Verdict::kFail);
  EXPECT_EQ(grade("bytes = nan\n")[0].verdict, Verdict::kFail);
  EXPECT_EQ(grade("bytes = \"8 apples\"\n")[0].verdict, Verdict::kFail);
  EXPECT_EQ(grade("bytes = 9e9\n")[0].message.find("8"), std::string::npos) << "the answer is not given away";
}

// Breaks when a right answer is refused for how it is spelled, or a wrong unit is passed over.
TEST_F(PredictionFile, AnswersInQuotesAndInOtherUnits) {
  for (const char* right : {"8", "16/2", "8 B", "8 bytes", "0.008 kB", " 8 "})
    EXPECT_EQ(grade(std::string("bytes = \"") + right + "\"\n")[0].verdict, Verdict::kPass) << right;
  for (const char* wrong : {"8 kB", "8 us", "8/0", "/8", "8 16", "eight", "0x8"})
    EXPECT_EQ(grade(std::string("bytes = \"") + wrong + "\"\n")[0].verdict, Verdict::kFail) << wrong;
}

TEST(Answer, MeansTheSameHoweverItIsSpelled) {
  EXPECT_DOUBLE_EQ(number_in("345 us", "us").value(), 345);
  EXPECT_DOUBLE_EQ(number_in("0.345ms", "us").value(), 345);
  EXPECT_DOUBLE_EQ(number_in("345 µs", "us").value(), 345);
  EXPECT_DOUBLE_EQ(number_in("0.25 FLOP/B", "FLOP/B").value(), 0.25);
  EXPECT_DOUBLE_EQ(number_in("1/4 flops/byte", "FLOP/B").value(), 0.25);
  EXPECT_DOUBLE_EQ(number_in("16 times", "").value(), 16);
  EXPECT_DOUBLE_EQ(number_in("1.1e9", "").value(), 1.1e9);
  EXPECT_FALSE(number_in("0.25 GB/s", "FLOP/B"));
  EXPECT_FALSE(number_in("", ""));
  EXPECT_TRUE(is_word("Memory-bound", "memory") && is_word("memory bound", "memory"));
  EXPECT_FALSE(is_word("memory", "compute") || is_word("", "compute"));
}

TEST_F(PredictionFile, Words) {
  EXPECT_EQ(grade("regime = \"memory-bound\"\n")[1].verdict, Verdict::kPass);
  EXPECT_EQ(grade("regime = \"Memory\"\n")[1].verdict, Verdict::kPass);
  EXPECT_EQ(grade("regime = \"compute\"\n")[1].verdict, Verdict::kFail);
  EXPECT_EQ(grade("regime = 3\n")[1].verdict, Verdict::kFail);
}

TEST_F(PredictionFile, EmptyIsNotAnswered) {
  for (const char* content : {"", "bytes = \"\"\nregime = \"\"\n"}) {
    for (const Check& check : grade(content)) {
      EXPECT_EQ(check.verdict, Verdict::kSkipped);
      EXPECT_EQ(check.reason, Class::kNotAnswered);
    }
  }
  EXPECT_EQ(grade_predictions({{.key = "k"}}, "/nowhere/prediction.toml")[0].reason, Class::kNotAnswered);
}

// Breaks when a parser follows keys as deep as a file is long: its stack ends the judge.
TEST_F(PredictionFile, WhatIsNoListOfAnswersIsNotRead) {
  std::string dotted = "a";
  for (int i = 0; i < 300'000; ++i) dotted += ".a";
  const std::string deep = "k = " + std::string(200, '[') + std::string(200, ']');
  std::string long_one, short_lines;
  for (int i = 0; i < 20'000; ++i) long_one += "# a comment\n";
  for (int i = 0; i < 1001; ++i) short_lines += "\n";
  for (const std::string& content :
       {dotted + " = 1\n", deep, long_one, short_lines, dotted.substr(0, 60'000) + " = 1\n"}) {
    const auto checks = grade(content);
    EXPECT_EQ(checks[0].verdict, Verdict::kFail);
    EXPECT_EQ(checks[0].reason, Class::kWrongPrediction);
    EXPECT_NE(checks[0].message.find("cannot be read"), std::string::npos) << checks[0].message;
    EXPECT_EQ(checks[0].file.find('/'), std::string::npos) << "where it is kept is nobody's business";
  }
}

TEST_F(PredictionFile, BrokenFileNamesTheLine) {
  const auto checks = grade("bytes = 8\nregime = = 3\n");
  EXPECT_EQ(checks[0].verdict, Verdict::kFail);
  EXPECT_EQ(checks[0].line, 2U);
}

// Breaks when the share of a budget is not the sum of its times over the time of a call, or a line is
// missing.
TEST(Budget, IsWhatAllOperationsTakeAtTheirRoofs) {
  TimedSeries series;
  series.time.median_us = 50;
  const std::vector<BudgetTime> budget = {{"a norm", "copy", 4e-6}, {"a product", "mma", 16e-6}};
  const Measurement line = budget_measurement(series, budget, {.pass = 0.2, .good = 0.3, .excellent = 0.6});
  EXPECT_DOUBLE_EQ(line.fraction, 0.4);
  EXPECT_EQ(line.medal, Medal::kGood);
  EXPECT_DOUBLE_EQ(line.roof.value, 50'000);
  EXPECT_DOUBLE_EQ(line.achieved, 20'000);
  EXPECT_EQ(budget_text(budget),
            "\n    4.00 us  a norm (copy)\n   16.00 us  a product (mma)\n   20.00 us  in all: the budget of "
            "a call");
}

}  // namespace
}  // namespace roofline::grader
