// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// PrairieLearn's results.json for external graders:
// https://prairielearn.readthedocs.io/en/latest/externalGrading/
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "grader/formats/format.h"
#include "grader/result/result_text.h"

namespace roofline::grader {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMessageLimit = 4096;  // the whole file may have 1 MB

std::string what_failed(const Result& result) {
  std::string text;
  for (const Check& check : result.checks)
    if (check.verdict != Verdict::kPass && check.verdict != Verdict::kSkipped)
      text += check.label() + ": " + outcome(check) + (check.message.empty() ? "" : "\n" + check.message) +
              "\n\n";
  return shortened(text, kMessageLimit);
}

/// What keeps a submission from being graded: it costs no attempt.
Json format_errors(const Graded& graded) {
  Json errors = Json::array();
  for (const Result& result : graded.results) {
    if (exit_status(result) == 3)
      errors.push_back(result.part + ": no verdict, through no fault of yours; submit it again");
    for (const Check& check : result.checks)
      if (check.reason == Class::kDoesNotCompile) errors.push_back(shortened(check.message, kMessageLimit));
  }
  return errors;
}

std::string prairielearn(const std::vector<Graded>& all, const FormatOptions&) {
  const Graded& graded = all.at(0);
  Json errors = format_errors(graded);
  Json json = {{"gradable", errors.empty()}};
  const double max = graded.max_points();
  const double score = max > 0 ? std::clamp(graded.points() / max, 0.0, 1.0) : 0;
  json["score"] = std::round(score * 1e4) / 1e4;
  std::string message = graded.remark;
  Json tests = Json::array();
  for (const Result& result : graded.results) {
    message += (message.empty() ? "" : "\n") + result.part + ": " + std::string(name_of(result.verdict)) +
               " on " + device_label(result.device);
    bool told = false;
    for (const ScoreLine& line : score_lines(result)) {
      Json test = {
          {"name", result.part + " " + line.title}, {"points", line.points}, {"max_points", line.max}};
      // What went wrong stands once, with the first line that lost points.
      if (line.points < line.max && !told) test["output"] = what_failed(result), told = true;
      tests.push_back(std::move(test));
    }
  }
  json["message"] = shortened(message, kMessageLimit);
  if (!errors.empty()) json["format_errors"] = std::move(errors);
  json["tests"] = std::move(tests);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Format prairielearn_format() {
  return {.name = "prairielearn",
          .what = "PrairieLearn's results.json of an external grader",
          .file = "results.json",
          .text = prairielearn};
}

}  // namespace roofline::grader
