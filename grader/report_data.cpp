// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/report_data.h"

#include <algorithm>

#include "grader/attempts.h"
#include "grader/file.h"
#include "grader/utc_now.h"

namespace roofline::grader {
namespace {

ReportPart empty_part(const Chosen& chosen) {
  return {.id = chosen.id(),
          .lab = chosen.lab->folder,
          .title = chosen.title(),
          .file = "labs/" + chosen.lab->folder + "/" + chosen.part->program.source,
          .attempts = {}};
}

std::string file_or_nothing(const std::filesystem::path& file) {
  try {
    return read_file(file);
  } catch (const std::runtime_error&) {
    return {};
  }
}

}  // namespace

ReportData report_of_attempts(const Paths& paths, const std::vector<Chosen>& parts) {
  ReportData data;
  data.made = utc_now("%Y-%m-%d %H:%M UTC");
  for (const Chosen& chosen : parts) {
    ReportPart& part = data.parts.emplace_back(empty_part(chosen));
    for (Attempt& attempt : attempts_of(paths.state, part.id))
      part.attempts.push_back({std::move(attempt.result), file_or_nothing(attempt.source)});
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
