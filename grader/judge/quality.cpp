// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

#include "grader/base/units.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/performance_checks.h"

namespace roofline::grader {
namespace {

constexpr int kInstances = 2;

struct Answer {
  Fault fault;
  std::vector<std::pair<std::string, Detail>> detail;
  double bound = 0, value = 0;
  double fraction() const { return value > 0 ? bound / value : 0; }
};

Answer answer_to(Grading& grading, const Quality& quality) {
  const Program& program = grading.part.program;
  CallShape shape;
  shape.settings = Settings(quality.settings, grading.facts);
  shape.seed = grading.next_seed();
  shape.guards = !grading.facts.simulated;
  const CallPlan plan(program, shape);
  Answer answer;
  try {
    Rig rig(grading.rig_options(grading.device, grading.part.deadline_seconds), grading.submission.worker,
            program, plan.input_bytes(), plan.output_bytes());
    const CallOutcome outcome = rig.call(plan);
    Examination examination = examine(plan, outcome, rig.input(), grading.examine_options());
    answer.fault = std::move(examination.fault);
    answer.detail = std::move(examination.detail);
    if (answer.fault) return answer;
    const CallView view = plan.view(rig.input());
    answer.bound = quality.bound(view);
    answer.value = quality.value(view, plan.payload(plan.array(program.outputs[0].argument), outcome.output));
  } catch (const StartFault& fault) {
    answer.fault = {Class::kCrashed, fault.what(), {}, 0};
  }
  return answer;
}

}  // namespace

void grade_quality(Grading& grading, const Quality& quality) {
  grading.progress("performance", quality.title, -1);
  Answer worst;
  for (int instance = 0; instance < kInstances && !worst.fault; ++instance) {
    Answer answer = answer_to(grading, quality);
    if (instance == 0 || answer.fault || answer.fraction() < worst.fraction()) worst = std::move(answer);
  }
  Measurement line;
  line.id = quality.id;
  line.title = quality.title;
  Check check;
  check.id = quality.id;
  check.title = quality.title;
  check.kind = CheckKind::kPerformance;
  check.detail = std::move(worst.detail);
  if (worst.fault) {
    check.reason = worst.fault.reason;
    check.message = worst.fault.message;
  } else {
    line.roof.id = "bound";
    line.roof.title = "lower bound";
    line.roof.unit = quality.unit;
    line.roof.value = worst.bound;
    line.achieved = worst.value;
    line.fraction = worst.fraction();
    line.thresholds = quality.thresholds;
    line.medal = medal_for(line.fraction, quality.thresholds);
    check.verdict = line.medal == Medal::kNone ? Verdict::kFail : Verdict::kPass;
    check.reason = line.medal == Medal::kNone ? Class::kBudgetExceeded : Class::kNone;
    check.message = format_number("%.4g", worst.value) + " " + quality.unit + " is " +
                    format_number("%.3f", worst.value / worst.bound) + " times the lower bound of " +
                    format_number("%.4g", worst.bound) + "; " +
                    format_number("%.2f", 1 / quality.thresholds.pass) + " passes";
    check.detail.emplace_back("fraction", line.fraction);
  }
  grading.result.measurements.push_back(std::move(line));
  grading.add(std::move(check));
}

}  // namespace roofline::grader
