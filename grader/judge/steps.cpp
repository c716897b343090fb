// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/steps.h"

#include <algorithm>

namespace roofline::grader {
namespace {

/// Built, and right wherever it could run.
bool right(const Result& result) {
  bool any = false;
  for (const Check& check : result.checks) {
    if (check.kind != CheckKind::kBuild && check.kind != CheckKind::kCorrectness) continue;
    if (check.verdict == Verdict::kSkipped) continue;
    if (check.verdict != Verdict::kPass) return false;
    any = any || check.kind == CheckKind::kCorrectness;
  }
  return any;
}

/// Of the measurement; of a file that is too slow to be timed, what its largest case says.
double fraction_of(const std::string& id, const Result& result) {
  const auto line = std::ranges::find(result.measurements, id, &Measurement::id);
  if (line != result.measurements.end() && line->roof.value > 0) return line->fraction;
  const Check* check = result.find(id);
  if (check == nullptr || check->reason == Class::kImpossible) return 0;
  for (const auto& [name, value] : check->detail)
    if (const double* number = std::get_if<double>(&value); name == "fraction" && number != nullptr)
      return *number;
  return 0;
}

/// Passed, or nothing that this device could tell: a GPU counts neither kernels nor sectors.
bool holds(const std::string& id, const Result& result) {
  const Check* check = result.find(id);
  if (check == nullptr) return false;
  return check->verdict == Verdict::kPass ||
         (check->verdict == Verdict::kSkipped && check->reason == Class::kUnsupportedDevice);
}

/// Whether a grade on this device has what the step is judged by: on a GPU that GPU alone counts.
bool can_be_judged(const StepResult& step, const Result& result) {
  return result.device.simulated || step.measurement.empty() ||
         std::ranges::find(result.measurements, step.measurement, &Measurement::id) !=
             result.measurements.end();
}

}  // namespace

std::vector<StepResult> steps_asked(const Part& part) {
  std::vector<StepResult> steps;
  for (const Step& step : part.steps)
    steps.push_back({.id = step.id, .title = step.title, .how = step.how, .measurement = step.measurement});
  return steps;
}

std::vector<StepResult> steps_of(const Part& part, const Result& result) {
  std::vector<StepResult> steps = steps_asked(part);
  if (!right(result)) return steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = part.steps[i];
    if (!step.measurement.empty()) steps[i].fraction = fraction_of(step.measurement, result);
    steps[i].reached = steps[i].fraction >= step.at_least &&
                       std::ranges::all_of(step.checks, [&](const auto& id) { return holds(id, result); });
  }
  std::erase_if(steps, [&](const StepResult& step) { return !can_be_judged(step, result); });
  return steps;
}

}  // namespace roofline::grader
