// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>

#include "grader/base/units.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/performance_checks.h"

namespace roofline::grader {
namespace {

/// The quality is that of the median: of a few instances one that is easy or hard by chance would decide.
/// Where another draw could earn another medal there are more of them, kMore at a time. Their number is odd,
/// so that the median is an instance.
constexpr std::size_t kLeast = 51, kMore = 50, kMost = 801, kBrief = 11;

struct Answer {
  Fault fault;
  std::vector<std::pair<std::string, Detail>> detail;
  double bound = 0, value = 0;
  double fraction() const { return value > 0 ? bound / value : 0; }
};

/// One rig for all instances: a worker takes longer to start than to answer.
class Instances {
 public:
  Instances(Grading& grading, const Quality& quality) : grading_(grading), quality_(quality) {}

  Answer next() {
    const Program& program = grading_.part.program;
    CallShape shape;
    shape.settings = Settings(quality_.settings, grading_.facts);
    shape.seed = grading_.next_seed();
    shape.guards = !grading_.facts.simulated;
    const CallPlan plan(program, shape);
    Answer answer;
    try {
      if (!rig_)
        rig_.emplace(grading_.rig_options(grading_.device, grading_.part.deadline_seconds),
                     grading_.submission.worker, program, plan.input_bytes(), plan.output_bytes());
      const CallOutcome outcome = rig_->call(plan);
      Examination examination = examine(plan, outcome, rig_->input(), grading_.examine_options());
      answer.fault = std::move(examination.fault);
      answer.detail = std::move(examination.detail);
      if (answer.fault) return answer;
      const CallView view = plan.view(rig_->input());
      answer.bound = quality_.bound(view);
      answer.value =
          quality_.value(view, plan.payload(plan.array(program.outputs[0].argument), outcome.output));
    } catch (const StartFault& fault) {
      answer.fault = {Class::kCrashed, fault.what(), {}, 0};
    }
    return answer;
  }

 private:
  Grading& grading_;
  const Quality& quality_;
  std::optional<Rig> rig_;
};

struct Sample {
  Answer median;  ///< or the first that is wrong
  double worst = 0;
  std::size_t instances = 0;
};

Sample sample(Grading& grading, const Quality& quality) {
  Instances instances(grading, quality);
  std::vector<Answer> answers;
  const auto take = [&](std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      answers.push_back(instances.next());
      if (answers.back().fault) return false;
    }
    std::ranges::sort(answers, std::less(), &Answer::fraction);
    return true;
  };
  if (!take(grading.options.brief ? kBrief : kLeast)) return {std::move(answers.back())};
  const auto settled = [&] {
    std::vector<double> fractions;
    for (const Answer& answer : answers) fractions.push_back(answer.fraction());
    return median_is_settled(fractions, quality.thresholds);
  };
  while (!grading.options.brief && answers.size() < kMost && !settled())
    if (!take(kMore)) return {std::move(answers.back())};
  const std::size_t n = answers.size();
  return {std::move(answers[n / 2]), answers.front().fraction(), n};
}

}  // namespace

void grade_quality(Grading& grading, const Quality& quality) {
  grading.progress("performance", quality.title, -1);
  auto [median, worst, instances] = sample(grading, quality);
  Measurement line;
  line.id = quality.id;
  line.title = quality.title;
  Check check{.id = quality.id, .title = quality.title, .kind = CheckKind::kPerformance};
  check.detail = std::move(median.detail);
  if (median.fault) {
    check.reason = median.fault.reason;
    check.message = median.fault.message;
  } else {
    line.roof.id = "bound";
    line.roof.title = "lower bound";
    line.roof.unit = quality.unit;
    line.roof.value = median.bound;
    line.achieved = median.value;
    line.fraction = median.fraction();
    line.thresholds = quality.thresholds;
    line.medal = medal_for(line.fraction, quality.thresholds);
    check.verdict = line.medal == Medal::kNone ? Verdict::kFail : Verdict::kPass;
    check.reason = line.medal == Medal::kNone ? Class::kBudgetExceeded : Class::kNone;
    check.message = format_number("%.4g", median.value) + " " + quality.unit + " is " +
                    format_number("%.3f", median.value / median.bound) + " times the lower bound of " +
                    format_number("%.4g", median.bound) + ", the median of " + std::to_string(instances) +
                    " instances; the worst is " + format_number("%.3f", worst > 0 ? 1 / worst : 0) +
                    " times its bound; " + format_number("%.2f", 1 / quality.thresholds.lowest()) + " passes";
    check.detail.emplace_back("fraction", line.fraction);
  }
  grading.result.measurements.push_back(std::move(line));
  grading.add(std::move(check));
}

}  // namespace roofline::grader
