// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/steps.h"

#include <gtest/gtest.h>

#include "grader/judge/steps.h"

namespace roofline::grader {
namespace {

Part part() {
  Part part;
  part.steps = {
      {.id = "right", .title = "right"},
      {.id = "block", .title = "a block", .how = "More warps.", .measurement = "speed", .at_least = 0.01},
      {.id = "grid",
       .title = "the grid",
       .how = "More blocks.",
       .measurement = "speed",
       .at_least = 0.6,
       .checks = {"coalesced"}}};
  return part;
}

Check check(const std::string& id, CheckKind kind, Verdict verdict) {
  Check check;
  check.id = id;
  check.kind = kind;
  check.verdict = verdict;
  return check;
}

Result result(double fraction, Verdict coalesced = Verdict::kPass, Verdict right = Verdict::kPass) {
  Result result;
  result.checks = {check("n-1", CheckKind::kCorrectness, right),
                   check("coalesced", CheckKind::kStructure, coalesced)};
  Measurement line;
  line.id = "speed";
  line.roof.value = 1000;
  line.fraction = fraction;
  result.measurements = {line};
  result.steps = steps_of(part(), result);
  return result;
}

std::string reached(const Result& result) {
  std::string ids;
  for (const StepResult& step : result.steps)
    if (step.reached) ids += step.id + " ";
  return ids;
}

// Break when a step looks at speed alone, or is given to a file that is wrong somewhere.
TEST(Steps, NeedRightResultsTheirFractionAndTheirChecks) {
  EXPECT_EQ(reached(result(0.001)), "right ");
  EXPECT_EQ(reached(result(0.02)), "right block ");
  EXPECT_EQ(reached(result(0.7)), "right block grid ");
  EXPECT_EQ(reached(result(0.7, Verdict::kFail)), "right block ");
  EXPECT_EQ(reached(result(0.7, Verdict::kPass, Verdict::kFail)), "");
  Result never_ran;
  never_ran.steps = steps_of(part(), never_ran);
  EXPECT_EQ(reached(never_ran), "") << "nothing ran, so nothing was right";
}

// Breaks when a GPU, which counts no sectors and is the only goal's device, shows steps that nobody can
// reach.
TEST(Steps, OnAGpuAreWhatItCanTell) {
  Result on_gpu = result(0.7, Verdict::kSkipped);
  EXPECT_EQ(reached(on_gpu), "right block ") << "skipped for another reason";
  on_gpu.checks[1].reason = Class::kUnsupportedDevice;
  Part two_devices = part();
  two_devices.steps.push_back({.id = "second", .title = "a second device", .measurement = "elsewhere"});
  on_gpu.device.simulated = false;
  on_gpu.steps = steps_of(two_devices, on_gpu);
  EXPECT_EQ(reached(on_gpu), "right block grid ");
  EXPECT_EQ(on_gpu.steps.size(), 3U) << "the step of the second device is not asked";
}

// Breaks when one thread's kernel, which is not timed at full size, tells the step after it no gain.
TEST(Steps, WhatIsTooSlowToTimeIsKnownFromItsLargestCase) {
  Result slow = result(0);
  slow.measurements[0].roof.value = 0;
  Check too_slow = check("speed", CheckKind::kPerformance, Verdict::kFail);
  too_slow.reason = Class::kTooSlow;
  too_slow.detail.emplace_back("fraction", 0.02);
  slow.checks.push_back(too_slow);
  EXPECT_DOUBLE_EQ(steps_of(part(), slow)[1].fraction, 0.02);
  slow.checks.back().reason = Class::kImpossible;
  EXPECT_FALSE(steps_of(part(), slow)[1].reached);
}

// Breaks when a worse attempt afterwards takes a step away, or another device's attempt gives one.
TEST(Steps, AreKeptFromTheFirstAttemptThatReachedThemOnThisDevice) {
  Result elsewhere = result(0.9);
  elsewhere.device.name = "H200";
  const std::vector<Attempt> attempts = {
      {elsewhere, {}}, {result(0.02), {}}, {result(0.8), {}}, {result(0.001), {}}};
  const auto states = step_states(steps_asked(part()), attempts, DeviceRecord());
  ASSERT_EQ(states.size(), 3U);
  EXPECT_EQ(states[0].attempt, 2U);
  EXPECT_EQ(states[1].attempt, 2U);
  EXPECT_EQ(states[2].attempt, 3U);
  EXPECT_NEAR(states[2].gain, 40, 1e-9);
  EXPECT_EQ(gain_text(states[2]), "simulated 80 % of the roof, 40 times the step before");
}

TEST(Steps, OnlyTheFirstMissingOneSaysHow) {
  const std::string text = steps_text(step_states(steps_asked(part()), {}, DeviceRecord()), {});
  EXPECT_NE(text.find("a block"), std::string::npos);
  EXPECT_EQ(text.find("More warps."), std::string::npos) << text;
  const std::string later =
      steps_text(step_states(steps_asked(part()), {{result(0.001), {}}}, DeviceRecord()), {});
  EXPECT_NE(later.find("More warps."), std::string::npos) << later;
  EXPECT_EQ(later.find("More blocks."), std::string::npos) << later;
  EXPECT_EQ(steps_text({}, {}), "");
}

}  // namespace
}  // namespace roofline::grader
