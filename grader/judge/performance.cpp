// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// When a file is timed, and on which devices.
#include <algorithm>

#include "grader/judge/call_profile.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/grading.h"
#include "grader/judge/timed_goals.h"

namespace roofline::grader {
namespace {

void skip(Grading& grading, CheckKind kind, const std::string& id, const std::string& title,
          const std::string& why) {
  grading.add({.id = id, .title = title, .kind = kind, .verdict = Verdict::kSkipped, .message = why});
}

/// A file that is as good as can be where it was graded.
bool best_so_far(const Result& result) {
  return !result.measurements.empty() &&
         std::ranges::all_of(result.measurements,
                             [](const Measurement& line) { return line.medal == kBestMedal; }) &&
         std::ranges::all_of(result.checks, [](const Check& check) {
           return check.verdict == Verdict::kPass || check.verdict == Verdict::kSkipped;
         });
}

/// What the best medal asks for; every other one asks for nothing.
Thresholds only_the_best(const Thresholds& thresholds) {
  Thresholds best = PerMedal::zeros();
  best.*std::rbegin(kMedals)->value = thresholds.highest();
  return best;
}

/// The goals once more on the part's second device, where the first gave the best medal.
void grade_second_device(Grading& grading) {
  const DeviceChoice standard, second{.id = grading.part.second_device};
  const bool asked = grading.device.simulated && grading.device.id == standard.id && !second.id.empty();
  if (!asked || grading.options.brief || !best_so_far(grading.result)) return;
  Part goals;
  goals.program = grading.part.program;
  goals.deadline_seconds = grading.part.deadline_seconds;
  goals.host_to_device_limit = grading.part.host_to_device_limit;
  goals.goals = grading.part.goals;
  for (Goal& goal : goals.goals)
    for (auto& [capability, thresholds] : goal.thresholds) thresholds = only_the_best(thresholds);
  GradeOptions once = grading.options;
  once.brief = true;
  once.enough = nullptr;
  Grading there{grading.lab, goals, grading.submission, second, once, device_facts(second, once), {}};
  there.budget = grading.budget;
  there.calls = grading.calls;
  grade_timed_goals(there);
  for (Measurement& line : there.result.measurements) {
    Check check = *there.result.find(line.id);
    check.id = line.id += "-" + second.id;
    check.title = line.title += ", on the simulated " + there.facts.name;
    line.device = there.facts.name;
    grading.result.measurements.push_back(line);
    grading.add(std::move(check));
  }
  if (!best_so_far(grading.result))
    add_advice(grading.result.profile.advice, std::move(there.result.profile.advice));
  grading.calls = there.calls;
}

}  // namespace

Counted count_in_simulation(Grading& grading) {
  const DeviceChoice like = simulated_stand_in(grading.facts, grading.options);
  Part part = grading.part;
  part.shown.clear();
  GradeOptions options = grading.options;
  options.enough = nullptr;  // a time that is too slow there is no fault
  Grading there{grading.lab, part, grading.submission, like, options, device_facts(like, options), {}};
  there.budget = grading.budget;
  there.calls = grading.calls;
  there.probe = grading.probe;
  grade_timed_goals(there);
  grading.calls = there.calls;
  Counted counted;
  for (Check& check : there.result.checks) {
    check.title += ", on the simulated " + there.facts.name;
    if (check.kind == CheckKind::kStructure)
      counted.structure.push_back(std::move(check));
    else if (check.verdict == Verdict::kFail && check.reason != Class::kTooSlow && !counted.fault)
      counted.fault = std::move(check);
  }
  return counted;
}

void grade_performance(Grading& grading) {
  const auto failed = std::ranges::find_if(grading.result.checks, [](const Check& check) {
    return check.kind == CheckKind::kCorrectness && check.verdict == Verdict::kFail;
  });
  std::string why;
  if (failed != grading.result.checks.end())
    why = "waits until every case is right";
  else if (grading.options.quick_seconds > 0 && !grading.options.brief)
    why = "not timed yet";
  else if (!grading.options.release_build)
    why = "a debug build of the grader measures nothing";
  Counted counted;
  if (why.empty() && !grading.facts.simulated && !grading.options.simulator_directory.empty()) {
    counted = count_in_simulation(grading);
    if (counted.fault) {
      counted.fault->id = "simulated-" + counted.fault->id;
      grading.add(std::move(*counted.fault));
      why = "waits until the simulated device finds nothing wrong";
    }
  }
  if (why.empty()) {
    grade_timed_goals(grading, std::move(counted.structure));
    if (grading.ended) return;
    grade_second_device(grading);
    for (const Quality& quality : grading.part.qualities) grade_quality(grading, quality);
    return;
  }
  for (const Goal& goal : grading.part.goals)
    skip(grading, CheckKind::kPerformance, goal.id, goal.title, why);
  for (const Sweep& sweep : grading.part.sweeps)
    skip(grading, CheckKind::kPerformance, sweep.id, sweep.title, why);
  for (const Overlap& overlap : grading.part.overlaps)
    skip(grading, CheckKind::kPerformance, overlap.id, overlap.title, why);
  for (const Quality& quality : grading.part.qualities)
    skip(grading, CheckKind::kPerformance, quality.id, quality.title, why);
  for (const StructureCheck& rule : grading.part.structure)
    skip(grading, CheckKind::kStructure, rule.id, rule.title, why);
}

}  // namespace roofline::grader
