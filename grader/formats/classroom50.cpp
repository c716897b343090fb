// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Classroom 50's result.json, schema classroom50/result/v1. What the runner knows comes from its environment;
// it stamps owner and times itself, so what is missing there gets a value that its validator can name.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "grader/base/utc_now.h"
#include "grader/formats/format.h"

namespace roofline::grader {
namespace {

using Json = nlohmann::ordered_json;

std::string environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? value : otherwise;
}

std::string datetime(const Graded& graded) {
  if (!graded.results.empty() && graded.results[0].started.size() == 20) return graded.results[0].started;
  return utc_now();
}

/// Scores are whole numbers: a line's points are rounded down, so that full points mean all of them.
std::string classroom50(const std::vector<Graded>& all, const FormatOptions&) {
  const Graded& graded = all.at(0);
  Json tests = Json::array();
  long points = 0, max = 0;
  for (const Result& result : graded.results) {
    for (const ScoreLine& line : score_lines(result)) {
      const long of = std::lround(line.max);
      const long got = std::min(of, static_cast<long>(std::floor(line.points * graded.factor + 1e-6)));
      tests.push_back({{"test-name", result.part + " " + line.title},
                       {"passed", got == of},
                       {"score", got},
                       {"max-score", of},
                       {"message", std::string(name_of(result.verdict)) +
                                       (graded.remark.empty() ? "" : ", " + one_line(graded.remark))}});
      points += got, max += of;
    }
  }
  const std::string commit = environment("COMMIT_URL", "unknown");
  const Json json = {{"schema", "classroom50/result/v1"},
                     {"classroom", environment("CLASSROOM", "unknown")},
                     {"assignment", environment("ASSIGNMENT", "unknown")},
                     {"assignment_type", environment("MODE", "") == "group" ? "group" : "individual"},
                     {"owner", environment("OWNER", graded.id.empty() ? "unknown" : one_line(graded.id))},
                     {"submission", environment("SUBMISSION_TAG", "submit/unknown")},
                     {"commit", commit},
                     {"release", environment("RELEASE_URL", commit)},
                     {"review", environment("REVIEW_URL", commit)},
                     {"datetime", datetime(graded)},
                     {"score", points},
                     {"max-score", max},
                     {"tests", std::move(tests)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

Format classroom50_format() {
  return {.name = "classroom50",
          .what = "Classroom 50's result.json (classroom50/result/v1)",
          .file = "result.json",
          .text = classroom50};
}

}  // namespace roofline::grader
