// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/score.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace roofline::grader {
namespace {

struct Tally {
  unsigned passed = 0, counted = 0;
  double share() const { return counted == 0 ? 0 : static_cast<double>(passed) / counted; }
};

Tally tally(const Result& result, CheckKind kind) {
  Tally tally;
  for (const Check& check : result.checks) {
    if (check.kind != kind) continue;
    // What could not run on this device (too large, say) does not count; what was not answered or not reached
    // does.
    if (check.verdict == Verdict::kSkipped && check.reason == Class::kUnsupportedDevice) continue;
    ++tally.counted;
    tally.passed += check.verdict == Verdict::kPass ? 1 : 0;
  }
  return tally;
}

bool not_countable(const Result& result) {
  bool any = false;
  for (const Check& check : result.checks) {
    if (check.kind != CheckKind::kStructure) continue;
    if (check.reason != Class::kUnsupportedDevice) return false;
    any = true;
  }
  return any;
}

double medal_points(const Result& result, const Part& part, const Points& points) {
  if (result.measurements.empty()) return 0;
  double sum = 0, least = points.medals.sum();
  for (const Measurement& line : result.measurements) {
    double earned = 0;
    for (const MedalRow& row : kMedals)
      if (line.medal >= row.medal) earned += points.medals.*row.value;
    sum += earned;
    least = std::min(least, earned);
  }
  return part.worst_goal_counts ? least : sum / static_cast<double>(result.measurements.size());
}

double rounded(double points) { return std::round(points * 100) / 100; }

/// The work was done in another way than the lab asks: its speed says nothing.
bool structure_refused(const Result& result) {
  return std::ranges::any_of(result.checks, [](const Check& check) {
    return check.kind == CheckKind::kStructure && check.verdict == Verdict::kFail;
  });
}

/// Lines give way, the last first, until they make no more than `most`.
void cap(std::vector<ScoreLine>& lines, double most) {
  double above = -most;
  for (const ScoreLine& line : lines) above += line.points;
  for (auto line = lines.rbegin(); line != lines.rend() && above > 0; ++line) {
    const double taken = std::min(line->points, above);
    line->points -= taken;
    above -= taken;
  }
}

/// No more than the weakest pass has.
void cap_at_a_pass(std::vector<ScoreLine>& lines, const Points& points) {
  cap(lines, points.correctness + points.structure + points.medals.lowest());
}

/// The total, and every line, in the digits that people see.
void sum_up(Result& result) {
  result.points = 0;
  for (const ScoreLine& line : result.lines) result.points += line.points;
  result.points = rounded(result.points);
  for (ScoreLine& line : result.lines) line.points = rounded(line.points);
}

void decide_verdict(Result& result) {
  bool ran = false;
  result.verdict = Verdict::kPass;
  result.reason = Class::kNone;
  // The worst verdict of the checks that count, error before fail before noisy.
  const auto weight = [](Verdict verdict) {
    switch (verdict) {
      case Verdict::kError:
        return 4;
      case Verdict::kFail:
        return 3;
      case Verdict::kNoisy:
        return 2;
      case Verdict::kSkipped:
        return 1;
      default:
        return 0;
    }
  };
  for (const Check& check : result.checks) {
    if (check.kind == CheckKind::kPrediction) continue;
    ran = ran || (check.verdict != Verdict::kSkipped && check.kind != CheckKind::kBuild);
    if (check.verdict == Verdict::kSkipped && check.reason == Class::kUnsupportedDevice) continue;
    if (weight(check.verdict) <= weight(result.verdict)) continue;
    result.verdict = check.verdict;
    result.reason = check.reason;
  }
  // A run in which no check ran is never a pass.
  if (!ran && result.verdict == Verdict::kPass) result.verdict = Verdict::kSkipped;
}

}  // namespace

void cap_when_not_passed(Result& result, double share) {
  if (result.verdict != Verdict::kFail || share >= 1) return;
  cap(result.lines, share * result.max_points);
  sum_up(result);
}

void score(Result& result, const Part& part) {
  Points points = part.points;
  const bool has_goals =
      !part.goals.empty() || !part.sweeps.empty() || !part.overlaps.empty() || !part.qualities.empty();
  if (part.predictions.empty()) points.correctness += std::exchange(points.prediction, 0);
  // A device that does not count what the rules ask about cannot take their points either.
  if (part.structure.empty() || not_countable(result))
    points.correctness += std::exchange(points.structure, 0);
  if (!has_goals) {
    points.correctness += points.medals.sum();
    points.medals = PerMedal::zeros();
  }
  result.max_points = points.total();
  decide_verdict(result);
  const bool nothing = std::ranges::any_of(result.checks, [](const Check& check) {
    return check.reason == Class::kNotImplemented || check.reason == Class::kDoesNotCompile;
  });
  const double counted = nothing ? 0 : 1;
  const auto share = [&](CheckKind kind) {
    const double passed = tally(result, kind).share();
    return part.repair && kind == CheckKind::kCorrectness ? std::floor(passed) : passed;
  };
  result.lines = {
      {.id = "correctness",
       .title = "the result is right",
       .points = counted * points.correctness * share(CheckKind::kCorrectness),
       .max = points.correctness},
      {.id = "structure",
       .title = "the work is done as the lab asks",
       .points = counted * points.structure * share(CheckKind::kStructure),
       .max = points.structure},
      {.id = "prediction",
       .title = "predicted before the run",
       .points = points.prediction * share(CheckKind::kPrediction),
       .max = points.prediction},
      {.id = "medals",
       .title = "fraction of the hardware limit",
       .points = structure_refused(result) ? 0 : counted * medal_points(result, part, points),
       .max = points.medals.sum()},
  };
  if (result.verdict == Verdict::kFail) cap_at_a_pass(result.lines, points);
  std::erase_if(result.lines, [](const ScoreLine& line) { return line.max == 0; });
  sum_up(result);
  result.medal = Medal::kNone;
  if (result.verdict == Verdict::kPass && !result.measurements.empty()) {
    result.medal = std::ranges::min(result.measurements, {}, &Measurement::medal).medal;
  }
}

}  // namespace roofline::grader
