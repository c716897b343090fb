// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/bench/recorded.h"

#include <nlohmann/json.hpp>

#include "grader/base/file.h"

namespace roofline::grader {

std::optional<RecordedTime> slowest_recorded(const std::filesystem::path& file, const std::string& work) {
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return {};
  const auto json = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!json.is_object() || !json.contains("benchmarks")) return {};
  std::optional<RecordedTime> slowest;
  for (const auto& run : json.at("benchmarks")) {
    if (!run.value("name", std::string()).starts_with(work + "/") || run.value("error_occurred", false))
      continue;
    const RecordedTime time{run.value("median_us", 0.0), run.value("fraction", 0.0)};
    if (time.us > 0 && time.fraction > 0 && (!slowest || time.us > slowest->us)) slowest = time;
  }
  return slowest;
}

}  // namespace roofline::grader
