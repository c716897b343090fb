// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/report/report_data.h"

#include <algorithm>

#include "grader/base/file.h"
#include "grader/base/utc_now.h"
#include "grader/learner/attempts.h"

namespace roofline::grader {
namespace {

ReportPart empty_part(const Chosen& chosen) {
  return {.id = chosen.id(),
          .lab = chosen.lab->folder,
          .title = chosen.title(),
          .file = "labs/" + chosen.lab->folder + "/" + chosen.part->program.source,
          .attempts = {}};
}

}  // namespace

ReportData report_of_attempts(const Paths& paths, const std::vector<Chosen>& parts) {
  ReportData data;
  data.made = utc_now("%Y-%m-%d %H:%M UTC");
  for (const Chosen& chosen : parts) {
    ReportPart& part = data.parts.emplace_back(empty_part(chosen));
    part.attempts = attempts_of(paths.state, part.id);
  }
  return data;
}

ReportData report_of_results(const std::vector<Lab>& labs, std::vector<Result> results,
                             const std::string& heading,
                             const std::function<std::string(const Result&)>& source_of) {
  ReportData data;
  data.heading = heading;
  data.made = utc_now("%Y-%m-%d %H:%M UTC");
  data.own = false;
  for (const Chosen& chosen : all_parts(labs)) data.parts.push_back(empty_part(chosen));
  std::ranges::stable_sort(results, {}, &Result::started);
  for (Result& result : results) {
    auto part = std::ranges::find(data.parts, result.part, &ReportPart::id);
    if (part == data.parts.end())
      part =
          data.parts.insert(data.parts.end(), {result.part, result.lab, result.lab, result.source_path, {}});
    std::string source = source_of ? source_of(result) : std::string();
    part->attempts.push_back({std::move(result), std::move(source)});
  }
  return data;
}

}  // namespace roofline::grader
