// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/course.h"

#include <algorithm>
#include <cmath>

#include "grader/base/units.h"
#include "grader/base/words.h"
#include "grader/batch/course_points.h"

namespace roofline::grader {

LatePolicy::Verdict LatePolicy::of(const std::string& student, std::optional<Seconds> handed_in) const {
  constexpr Seconds kDay = 86'400;
  const auto own = extensions.find(lower(student));
  const std::optional<Seconds> due = own != extensions.end() ? own->second : deadline;
  if (handed_in && opens && *handed_in < *opens) return {0, "handed in before the exam opened", 0};
  if (!due || !handed_in || *handed_in <= *due + grace) return {};
  const double days = std::ceil(static_cast<double>(*handed_in - *due) / kDay);
  if (closes) return {0, "handed in after the exam had closed", days};
  const std::string late = compact(days, 4) + (days == 1 ? " day late: " : " days late: ");
  if (most_days >= 0 && days > most_days) return {0, late + "no points after " + compact(most_days, 4), days};
  const double factor = std::max(0.0, 1 - days * percent_per_day / 100);
  return {factor, late + compact(100 * factor, 4) + " %", days};
}

double* points_field(Points& points, std::string_view name) {
  if (name == "correctness") return &points.correctness;
  if (name == "structure") return &points.structure;
  if (name == "prediction") return &points.prediction;
  for (const MedalRow& medal : kMedals)
    if (name == medal.name) return &(points.medals.*medal.value);
  return nullptr;
}

Points Course::points_of(const std::string& part, Points given) const {
  for (const std::string& which : {std::string("*"), part})
    if (const auto found = points.find(which); found != points.end())
      for (const auto& [kind, value] : found->second) *points_field(given, kind) = value;
  return given;
}

LabRules Course::rules_of(const std::string& part) const {
  const auto found = labs.find(part);
  return found == labs.end() ? LabRules{} : found->second;
}

double Course::most_when_not_passed(const std::string& part) const {
  return rules_of(part).not_passed_at_most.value_or(not_passed_at_most.value_or(100)) / 100;
}

const Exam* Course::exam_of(const std::vector<std::string>& parts) const {
  const auto is_in_it = [&](const std::string& part) {
    return std::ranges::find(exam->parts, part) != exam->parts.end();
  };
  return exam && std::ranges::all_of(parts, is_in_it) ? &*exam : nullptr;
}

}  // namespace roofline::grader
