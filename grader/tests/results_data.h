// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/file.h"
#include "grader/base/units.h"

/// The data files of docs/results/, and points of which a model says one thing and a GPU perhaps another.
namespace roofline::grader::results {

namespace fs = std::filesystem;
using Json = nlohmann::json;

inline const fs::path kResults = fs::path(ROOFLINE_SOURCE) / "docs" / "results";

inline std::optional<Json> data(const std::string& name) {
  std::error_code none;
  const fs::path file = kResults / name;
  if (!fs::exists(file, none)) return {};
  return Json::parse(read_file(file));
}

inline std::vector<std::string> files_that_begin(const std::string& with) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kResults))
    if (const std::string name = entry.path().filename(); name.starts_with(with) && name.ends_with(".json"))
      names.push_back(name);
  std::ranges::sort(names);
  return names;
}

/// Of a card's tables: one file, or one for each lab, as .ci/gpu writes them.
inline std::optional<Json> bench_data(const std::string& card) {
  std::optional<Json> all;
  for (const std::string& name : files_that_begin(card + ".bench")) {
    const Json one = *data(name);
    if (!all)
      all = one;
    else
      all->at("benchmarks")
          .insert(all->at("benchmarks").end(), one["benchmarks"].begin(), one["benchmarks"].end());
  }
  return all;
}

inline std::string percent(double fraction, const char* format = "%.1f %%") {
  return format_number(format, 100 * fraction);
}

inline std::string text_of(const fs::path& file) {
  std::error_code none;
  return fs::exists(file, none) ? read_file(file) : "";
}

inline void expect_current(const std::string& name, const std::string& now) {
  if (std::getenv("ROOFLINE_UPDATE_PAGES") != nullptr) write_file(kResults / name, now);
  EXPECT_EQ(text_of(kResults / name), now) << "run ROOFLINE_UPDATE_PAGES=1 ./lab test -R ResultsPages";
}

/// Google Benchmark's name of a run without what it appends.
inline std::string plain_name(const Json& run) {
  std::string name = run["name"];
  return name.substr(0, name.find("/iterations:"));
}

/// Cards with a device file whose tables are kept: the article's GPU, and one of the next generation.
inline const std::vector<std::pair<std::string, std::string>> kCards = {{"a100-sxm4-40gb", "A100-SXM4-40GB"},
                                                                        {"h200", "H200"}};
/// What an error may be without being listed in misses.json with its reason.
inline constexpr double kMedianLimit = 0.20, kWorstLimit = 0.35;

struct ComparedPoint {
  std::string name, unit;
  double simulated = 0;
  std::optional<double> measured;
  double fraction = 0;
  std::optional<double> measured_fraction;
  double error() const { return simulated / *measured - 1; }
};

inline std::map<std::string, const Json*> by_name(const std::optional<Json>& table, const char* list,
                                                  const char* key) {
  std::map<std::string, const Json*> found;
  if (!table) return found;
  for (const Json& entry : (*table)[list]) {
    std::string name = entry[key];
    found[name.substr(0, name.find("/iterations:"))] = &entry;
  }
  return found;
}

inline std::string error_cell(const ComparedPoint& point) {
  return point.measured ? percent(point.error(), "%+.1f %%") : "not yet measured";
}

inline std::string spread_line(std::vector<ComparedPoint> points) {
  std::erase_if(points, [](const ComparedPoint& point) { return !point.measured; });
  if (points.empty()) return "Not yet measured on this GPU, so no error is known.\n";
  std::vector<double> errors;
  for (const ComparedPoint& point : points) errors.push_back(std::abs(point.error()));
  std::ranges::sort(errors);
  return std::to_string(errors.size()) + " points, median error " + percent(errors[errors.size() / 2]) +
         ", worst " + percent(errors.back()) + ".\n";
}

}  // namespace roofline::grader::results
