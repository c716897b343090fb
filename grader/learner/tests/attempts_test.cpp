// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Attempts are kept, found again and compared.
#include "grader/learner/attempts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "grader/base/file.h"
#include "grader/formats/json.h"
#include "grader/formats/read_json.h"
#include "grader/learner/progress_file.h"

namespace roofline::grader {
namespace {
namespace fs = std::filesystem;

class Attempts : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("roofline-attempts-test-" + std::to_string(getpid()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  static Result result(const std::string& started, Verdict verdict, double fraction) {
    Result r;
    r.lab = "01-pointwise";
    r.part = "01";
    r.started = started;
    r.source_sha256 = sha256_hex(started);
    r.device.name = "NVIDIA A100-SXM4-40GB";
    r.verdict = verdict;
    r.reason = verdict == Verdict::kPass ? Class::kNone : Class::kWrongAnswer;
    r.points = verdict == Verdict::kPass ? 70 + 30 * fraction : 20;
    if (fraction > 0) {
      Measurement m;
      m.id = "bandwidth";
      m.roof = {.id = "copy", .title = {}, .unit = "GB/s", .value = 1381, .data_sheet = 0, .time = {}};
      m.achieved = 1381 * fraction;
      m.fraction = fraction;
      m.thresholds = {0.6, 0.8, 0.9};
      r.measurements = {m};
      r.medal = fraction >= 0.9 ? Medal::kExcellent : fraction >= 0.8 ? Medal::kGood : Medal::kPass;
    }
    return r;
  }
  std::string change(const Result& now) { return change_text(now, attempts_of(root_, "01"), Terminal{}); }
  fs::path root_;
};

// Breaks when the names of the files change, which the report and the learner rely on.
TEST_F(Attempts, AreTwoFilesNamedAfterTimeAndSource) {
  Result r = result("2026-01-31T10:15:00Z", Verdict::kPass, 0.85);
  keep_attempt(root_, r, "the source");
  const std::string name = "20260131T101500-" + r.source_sha256.substr(0, 8);
  EXPECT_EQ(read_file(root_ / "attempts" / "01" / (name + ".cu")), "the source");
  const auto all = attempts_of(root_, "01");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].file, root_ / "attempts" / "01" / (name + ".json"));
  EXPECT_EQ(all[0].source, "the source");
  EXPECT_EQ(all[0].result.medal, Medal::kGood);
  EXPECT_EQ(all[0].result.measurements.at(0).medal, Medal::kGood);
  EXPECT_DOUBLE_EQ(all[0].result.measurements.at(0).fraction, 0.85);
  EXPECT_TRUE(all[0].timed());
  EXPECT_TRUE(attempts_of(root_, "02").empty());
}

// Breaks when a file that is half written or strange hides the others.
TEST_F(Attempts, DamagedFilesAreLeftOut) {
  keep_attempt(root_, result("2026-01-31T10:15:00Z", Verdict::kFail, 0), "a");
  write_file(root_ / "attempts" / "01" / "20260131T101501-00000000.json", "{\"schema\": \"lab/res");
  write_file(root_ / "attempts" / "01" / "notes.txt", "mine");
  EXPECT_EQ(attempts_of(root_, "01").size(), 1U);
  EXPECT_TRUE(has_attempts(root_, "01"));
}

// Breaks when the order, the best or the last is the wrong one, or devices are mixed.
TEST_F(Attempts, BestAndLastOfADevice) {
  keep_attempt(root_, result("2026-01-31T10:15:02Z", Verdict::kPass, 0.70), "c");
  keep_attempt(root_, result("2026-01-31T10:15:00Z", Verdict::kPass, 0.95), "a");
  keep_attempt(root_, result("2026-01-31T10:15:03Z", Verdict::kFail, 0), "d");
  Result real = result("2026-01-31T10:15:04Z", Verdict::kPass, 0.99);
  real.device.simulated = false;
  keep_attempt(root_, real, "e");
  const auto all = attempts_of(root_, "01");
  ASSERT_EQ(all.size(), 4U);
  const DeviceRecord& device = all[0].result.device;
  EXPECT_EQ(best_of(all, device)->source, "a");
  EXPECT_EQ(last_of(all, device)->source, "d");
  EXPECT_EQ(last_of(all, device, true)->source, "c");
  EXPECT_EQ(last_of(all, real.device)->source, "e");
}

// Breaks when a learner cannot see what a change of the file did.
TEST_F(Attempts, ChangeAgainstLastAndBest) {
  const Result first = result("2026-01-31T10:15:00Z", Verdict::kPass, 0.95);
  EXPECT_EQ(change(first), "");
  keep_attempt(root_, first, "a");
  keep_attempt(root_, result("2026-01-31T10:15:01Z", Verdict::kPass, 0.62), "b");
  keep_attempt(root_, result("2026-01-31T10:15:02Z", Verdict::kFail, 0), "c");
  const std::string text = change(result("2026-01-31T10:15:03Z", Verdict::kPass, 0.81));
  EXPECT_NE(text.find("excellent  wrong-answer    good"), std::string::npos) << text;
  EXPECT_NE(text.find("95.0 %        62.0 %  81.0 %  +19.0"), std::string::npos) << text;
  EXPECT_EQ(text.find("your best"), std::string::npos) << text;
  EXPECT_NE(change(result("2026-01-31T10:15:03Z", Verdict::kPass, 0.97)).find("your best so far"),
            std::string::npos);
}

// Breaks when an experiment on a GPU with changed numbers counts as progress, or is compared with real
// attempts.
TEST_F(Attempts, AnExperimentIsNotKept) {
  ProgressFile progress(root_ / "progress.json");
  Result now = result("2026-01-31T10:15:00Z", Verdict::kPass, 0.95);
  now.source_sha256 = sha256_hex("a");
  now.device.id = "a100-sxm4-40gb,dram_gbps=777";
  std::vector<Attempt> attempts;
  EXPECT_EQ(remember(root_, progress, attempts, now, "a", Terminal{}), "");
  EXPECT_FALSE(progress.at("01").passed);
  EXPECT_TRUE(attempts.empty());
  EXPECT_TRUE(attempts_of(root_, "01").empty());
  EXPECT_FALSE(has_attempts(root_, "01"));
  now.device.id = "a100-sxm4-40gb";
  remember(root_, progress, attempts, now, "a", Terminal{});
  EXPECT_TRUE(progress.at("01").passed);
  EXPECT_EQ(attempts.size(), 1U);
  EXPECT_EQ(attempts_of(root_, "01").size(), 1U);
}

// Breaks when the folder grows without bound, or the best goes with the oldest.
TEST_F(Attempts, TheOldestGoButNeverTheBest) {
  keep_attempt(root_, result("2026-01-01T00:00:00Z", Verdict::kPass, 0.95), "best");
  for (int i = 0; i < 301; ++i) {
    char started[32];
    std::snprintf(started, sizeof started, "2026-01-31T10:%02d:%02dZ", i / 60, i % 60);
    keep_attempt(root_, result(started, Verdict::kFail, 0), "x");
  }
  const auto all = attempts_of(root_, "01");
  EXPECT_EQ(all.size(), 300U);
  EXPECT_EQ(all.front().source, "best");
}

// Breaks when what to_json writes cannot be read back.
TEST(ReadJson, IsTheWayBack) {
  Result r;
  r.part = "02";
  r.seed = 0xffffffffffffffff;
  r.verdict = Verdict::kFail;
  r.reason = Class::kTooSlow;
  r.device.simulated = false;
  Check check;
  check.id = "intensity-knee";
  check.kind = CheckKind::kPerformance;
  check.reason = Class::kTooSlow;
  check.file = "a.cu";
  check.line = 12;
  check.detail = {
      {"count", 3.0}, {"flag", true}, {"word", std::string("x")}, {"list", std::vector<double>{1}}};
  r.checks = {check};
  r.one_time = {{.what = "capture", .us = 30}};
  SweepResult curve;
  curve.id = "intensity";
  curve.argument = "repeat";
  curve.ridge = 12.5;
  curve.points = {{32, 8, 1200, 9, 0.9, {}, {}}};
  r.sweeps = {curve};
  const auto back = results_from_json(to_json({r, Result{}}));
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(to_json(back), to_json({r, Result{}}));
  EXPECT_EQ(back[0].sweeps.at(0).argument, "repeat");
  EXPECT_EQ(back[0].sweeps.at(0).points.at(0).argument, 32);
  EXPECT_THROW(results_from_json("[]"), std::runtime_error);
  EXPECT_THROW(results_from_json("{\"schema\": \"lab/result/v2\"}"), std::runtime_error);
  EXPECT_THROW(results_from_json("{"), std::runtime_error);
}

}  // namespace
}  // namespace roofline::grader
