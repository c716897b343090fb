// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/tests/results_data.h"

/// Grades of the reference solutions, on a GPU and on its model.
namespace roofline::grader::results {

inline std::string goal_of(const Json& grade) {
  return grade["part"].get<std::string>() + "/" + grade["id"].get<std::string>();
}

inline const Json* same_goal(const Json& grades, const Json& grade) {
  for (const Json& other : grades["grades"])
    if (goal_of(other) == goal_of(grade)) return &other;
  return nullptr;
}

/// Goals that were graded on the card and timed: fractions of the roof.
inline std::vector<ComparedPoint> grade_points(const std::string& card) {
  const auto simulated = data("simulated-" + card + ".grades.json"),
             measured = data("measured-" + card + ".grades.json");
  std::vector<ComparedPoint> points;
  if (!simulated || !measured) return points;
  for (const Json& grade : (*measured)["grades"])
    if (const Json* other = same_goal(*simulated, grade); other && grade["n"] > 0)
      points.push_back({goal_of(grade), "", (*other)["fraction"], grade["fraction"].get<double>(), 0, {}});
  return points;
}

/// The same goals' own rates, whatever the roofs beside them.
inline std::vector<ComparedPoint> rate_points(const std::string& card) {
  std::vector<ComparedPoint> points = grade_points(card);
  if (points.empty()) return points;
  const Json simulated = *data("simulated-" + card + ".grades.json"),
             measured = *data("measured-" + card + ".grades.json");
  std::erase_if(points, [&](ComparedPoint& point) {
    const auto of = [&](const Json& grades) {
      return *std::ranges::find(grades["grades"], point.name, goal_of);
    };
    point.simulated = of(simulated)["achieved"];
    point.measured = of(measured)["achieved"].get<double>();
    return of(measured)["unit"] == "hidden";  // a share already
  });
  return points;
}

inline std::string earned(const Json& grade) {
  for (const char* key : {"medal", "class", "verdict"})
    if (grade[key].is_string()) return grade[key];
  return "";
}

inline std::string parts_without(const Json& measured, const Json& simulated) {
  std::string parts, last;
  for (const Json& grade : simulated["grades"]) {
    const std::string part = grade["part"];
    if (part == last ||
        std::ranges::any_of(measured["grades"], [&](const Json& other) { return other["part"] == part; }))
      continue;
    parts += (parts.empty() ? "" : ", ") + part;
    last = part;
  }
  return parts;
}

inline std::string grades_section(const std::string& card) {
  const auto simulated = data("simulated-" + card + ".grades.json"),
             measured = data("measured-" + card + ".grades.json");
  if (!simulated || !measured) return "";
  const auto origin = [](const Json& context) {
    return context["date"].get<std::string>() + " by `" + context["command"].get<std::string>() + "`" +
           (context["kind"] == "gpu" ? ", driver " + context["driver"].get<std::string>() + ", toolkit " +
                                           context["toolkit"].get<std::string>()
                                     : "") +
           ", commit " + context["commit"].get<std::string>() +
           (context.contains("model") ? ", time model " + context["model"].get<std::string>() : "");
  };
  const Json& context = measured->at("context");
  std::string text = "\n### Grades of the reference solutions\n\nMeasured " + origin(context) +
                     ". Simulated " + origin(simulated->at("context")) + ".";
  if (context.contains("note")) text += " " + context["note"].get<std::string>();
  text += "\n\nFractions of the roof: " + spread_line(grade_points(card)) +
          "Rates themselves, without the roof beside them: " + spread_line(rate_points(card));
  if (const std::string parts = parts_without(*measured, *simulated); !parts.empty())
    text += "Not graded on this GPU: " + parts + ".\n";
  text +=
      "\n| goal | roof | measured | of the roof | samples | earned | simulated | of the roof | earned | "
      "error of "
      "the fraction |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Json& grade : (*measured)["grades"]) {
    const Json* other = same_goal(*simulated, grade);
    if (!other) continue;
    const auto cells = [](const Json& one) {
      return " | " + compact(one["achieved"], 4) + " " + one["unit"].get<std::string>() + " | " +
             percent(one["fraction"]);
    };
    const bool timed = grade["n"] > 0;
    text +=
        "| " + goal_of(grade) + " | " + grade["roof"].get<std::string>() + cells(grade) + " | " +
        std::to_string(grade["n"].get<int>()) + " | " + earned(grade) + cells(*other) + " | " +
        earned(*other) + " | " +
        (timed ? percent((*other)["fraction"].get<double>() / grade["fraction"].get<double>() - 1, "%+.1f %%")
               : "not a time") +
        " |\n";
  }
  return text;
}

}  // namespace roofline::grader::results
