// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Gradescope's results.json: https://gradescope-autograders.readthedocs.io/en/latest/specs/
#include <cmath>
#include <nlohmann/json.hpp>

#include "grader/formats/format.h"
#include "grader/result/result_text.h"

namespace roofline::grader {
namespace {

using Json = nlohmann::ordered_json;

/// Points are given by kind; the checks themselves carry a status alone, so that nothing counts twice.
void add_tests(Json& tests, const Result& result) {
  const std::string prefix = result.part + " ";
  for (const ScoreLine& line : score_lines(result))
    tests.push_back({{"name", prefix + line.title},
                     {"score", line.points},
                     {"max_score", line.max},
                     {"output_format", "text"},
                     {"visibility", "visible"}});
  for (const Check& check : result.checks) {
    if (check.verdict == Verdict::kSkipped && check.reason == Class::kUnsupportedDevice) continue;
    Json test = {{"name", prefix + check.label()},
                 {"status", check.verdict == Verdict::kPass ? "passed" : "failed"},
                 {"output_format", "text"},
                 {"visibility", "visible"}};
    const std::string said = check.verdict == Verdict::kPass ? "" : outcome(check) + "\n";
    if (!(said + check.message).empty()) test["output"] = shortened(said + check.message);
    tests.push_back(std::move(test));
  }
}

std::string headline(const Graded& graded) {
  std::string text;
  for (const Result& result : graded.results) {
    text += result.part + ": " + std::string(name_of(result.verdict));
    if (result.reason != Class::kNone) text += ", " + std::string(name_of(result.reason));
    if (result.medal != Medal::kNone) text += ", medal " + std::string(name_of(result.medal));
    text += ", " + decimal(result.points) + " of " + decimal(result.max_points) + " points, on " +
            device_label(result.device) + "\n";
    if (exit_status(result) == 3)
      text += "There is no verdict, through no fault of yours: this submission has to be graded again.\n";
  }
  if (!graded.remark.empty()) text += graded.remark + "\n";
  return text;
}

std::string gradescope(const std::vector<Graded>& all, const FormatOptions&) {
  const Graded& graded = all.at(0);
  Json tests = Json::array(), leaderboard = Json::array();
  double seconds = 0;
  for (const Result& result : graded.results) {
    add_tests(tests, result);
    seconds += result.wall_s;
    if (result.verdict != Verdict::kPass) continue;
    for (const Measurement& line : result.measurements)
      leaderboard.push_back(
          {{"name", result.part + " " + line.id + ", % of " + line.roof.id},
           {"value", std::isfinite(line.fraction) ? std::round(1e4 * line.fraction) / 100 : 0},
           {"order", "desc"}});
  }
  int number = 0;
  for (Json& test : tests) test["number"] = std::to_string(++number);
  const Json json = {{"score", graded.points()},
                     {"execution_time", seconds},
                     {"output", shortened(headline(graded))},
                     {"output_format", "text"},
                     {"visibility", "visible"},
                     {"stdout_visibility", "hidden"},
                     {"tests", std::move(tests)},
                     {"leaderboard", std::move(leaderboard)},
                     {"extra_data", {{"verdict", name_of(graded.verdict())}}}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Format gradescope_format() {
  return {.name = "gradescope",
          .what = "Gradescope's results.json; without --from, the autograder's zip",
          .file = "results.json",
          .names_people = true,
          .text = gradescope};
}

}  // namespace roofline::grader
