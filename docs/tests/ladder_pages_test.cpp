// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "docs/tests/text_files.h"

// The ladders on the labs' pages show what ./lab bench printed: each figure is looked up in the stored tables
// of the simulated GPUs.
namespace roofline::docs::ladder_pages {
namespace {

/// A column of figures in a ladder: of which GPU and goal, and in which unit.
struct Column {
  std::string gpu, goal, unit;  ///< unit: "GB/s", "TFLOP/s", "ms", "us", "%"
};

/// A ladder's rows name files of `folder`; its figures begin in the third column.
struct Ladder {
  std::string lab, folder, solution;
  std::vector<Column> columns;
};

constexpr const char *kA100 = "a100-sxm4-40gb", *kH200 = "h200";

std::vector<Ladder> ladders() {
  const auto both = [](const std::string& goal, const std::string& unit) {
    return std::vector<Column>{{kA100, goal, unit}, {kH200, goal, unit}};
  };
  const auto widths = [](const std::string& part) {
    return std::vector<Column>{{kA100, part + "/columns-256", "GB/s"},
                               {kA100, part + "/columns-4096", "GB/s"},
                               {kA100, part + "/columns-131072", "GB/s"}};
  };
  return {
      {"04-gemm", "", "gemm", {{kA100, "04/product", "TFLOP/s"}}},
      {"07-onchip", "transpose", "transpose", {{kA100, "07a/bandwidth", "GB/s"}}},
      {"07-onchip", "reduce", "reduce", {{kA100, "07b/bandwidth", "GB/s"}}},
      {"07-onchip", "histogram", "histogram", {{kA100, "07c/random", "GB/s"}, {kA100, "07c/equal", "GB/s"}}},
      {"07-onchip", "scan", "scan", {{kA100, "07d/bandwidth", "GB/s"}}},
      {"08-rows", "softmax", "softmax", widths("08a")},
      {"08-rows", "layer_norm", "layer_norm", widths("08b")},
      {"09-input", "normalise", "normalise", both("09a/bandwidth", "GB/s")},
      {"09-input", "feed", "feed", both("09b/overlap", "ms")},
      {"09-input", "workers", "workers", both("09c/utilisation", "ms")},
      {"10-decode", "gemv_q4", "gemv_q4", both("10a/bandwidth", "GB/s")},
      {"10-decode", "decode", "decode", both("10b/bandwidth", "GB/s")},
      {"10-decode", "decode_int8", "decode_int8", both("10c/bandwidth", "GB/s")},
      {"11-attention", "", "attention", {{kA100, "11/full", "TFLOP/s"}, {kA100, "11/causal", "TFLOP/s"}}},
      {"12-precision", "adam_step", "adam_step", both("12a/bandwidth", "%")},
      {"13-ring", "all_reduce", "all_reduce", {{kA100, "13a/ring", "GB/s"}}},
      {"13-ring",
       "buckets",
       "buckets",
       {{kA100, "13b/overlap", "us"},
        {kA100, "13b/overlap", "%"},
        {kH200, "13b/overlap", "us"},
        {kH200, "13b/overlap", "%"}}}};
}

double figure(const nlohmann::json& row, const std::string& unit) {
  if (unit == "GB/s") return row["bytes/s"].get<double>() * 1e-9;
  if (unit == "TFLOP/s") return row["FLOP/s"].get<double>() * 1e-12;
  if (unit == "us") return row["real_time"].get<double>();  // as the table has it
  if (unit == "ms") return row["real_time"].get<double>() * 1e-3;
  return row["fraction"].get<double>() * 100;
}

/// What a version reaches, by its file's name without the ending.
std::map<std::string, double> figures(const Column& column, const std::string& solution) {
  static std::map<std::string, nlohmann::json> tables;
  nlohmann::json& table = tables[column.gpu];
  if (table.is_null())
    table =
        nlohmann::json::parse(text_of(kRoot / "docs/results" / ("simulated-" + column.gpu + ".bench.json")));
  std::map<std::string, double> found;
  for (const nlohmann::json& row : table["benchmarks"]) {
    const std::string name = row["name"];
    if (!name.starts_with(column.goal + "/") || row.contains("error_message")) continue;
    const std::string version = name.substr(column.goal.size() + 1);
    const std::string stem = version.substr(0, version.find('/'));
    found[stem == "solution" ? solution : stem] = figure(row, column.unit);
  }
  return found;
}

struct Row {
  std::filesystem::path file;
  std::vector<std::string> cells;
};

/// The rows of tables whose first cell has a file's name between backticks.
std::vector<Row> rows_with_files(const std::string& markdown) {
  std::vector<Row> rows;
  for (const std::string& line : lines_of(markdown)) {
    const std::size_t from = line.find('`'), to = line.find('`', from + 1);
    if (!line.starts_with("| ") || from == std::string::npos || line.find('|', 1) < from) continue;
    Row row{line.substr(from + 1, to - from - 1), {}};
    std::istringstream in(line.substr(1));
    for (std::string cell; std::getline(in, cell, '|');) row.cells.push_back(trimmed(cell));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Half a unit of the last digit that a page shows, or half a per cent.
double allowed(const std::string& shown, double value) {
  const std::size_t point = shown.find('.'), end = shown.find_first_not_of("0123456789.");
  const std::size_t digits = point == std::string::npos ? 0 : std::min(end, shown.size()) - point - 1;
  return std::max(0.51 * std::pow(10.0, -static_cast<double>(digits)), 0.005 * value);
}

// Breaks when the time model or a version changes and a page still shows what it was.
TEST(LadderPages, ShowWhatTheBenchPrinted) {
  for (const Ladder& ladder : ladders()) {
    const std::string page = "labs/" + ladder.lab + "/README.md";
    std::size_t compared = 0;
    for (std::size_t c = 0; c < ladder.columns.size(); ++c) {
      const auto known = figures(ladder.columns[c], ladder.solution);
      for (const Row& row : rows_with_files(text_of(kRoot / page))) {
        const std::string stem = row.file.stem().string(), parent = row.file.parent_path().filename();
        if (!known.contains(stem) || row.cells.size() < 3 + c) continue;
        if (!ladder.folder.empty() && stem != ladder.solution && parent != ladder.folder) continue;
        const std::string& shown = row.cells[2 + c];
        if (shown.empty() || std::isdigit(static_cast<unsigned char>(shown[0])) == 0) continue;
        EXPECT_NEAR(std::stod(shown), known.at(stem), allowed(shown, known.at(stem)))
            << page << ", " << row.file << ", " << ladder.columns[c].goal << " on " << ladder.columns[c].gpu;
        ++compared;
      }
    }
    EXPECT_GE(compared, 3 * ladder.columns.size()) << page << " " << ladder.folder;
  }
}

/// What `./lab author-check` proves that a version earns on the default device: its first line; "" for none.
std::string expected_medal(const std::filesystem::path& solutions, const std::filesystem::path& file) {
  for (const char* folder : {"", "variants"}) {
    const std::filesystem::path path = solutions / folder / file;
    if (file.extension() != ".cu" || !std::filesystem::exists(path)) continue;
    const std::string line = lines_of(text_of(path)).front(), expect = "// expect: ";
    if (line.starts_with(expect)) return line.substr(expect.size());
  }
  return "";
}

// Breaks when a page shows another medal than the one that a version is proved to earn.
TEST(LadderPages, ShowTheMedalsThatAreProved) {
  std::size_t compared = 0;
  for (const auto& lab : std::filesystem::directory_iterator(kRoot / "labs")) {
    const std::filesystem::path page = lab.path() / "README.md",
                                solutions = kRoot / "solutions" / lab.path().filename();
    if (!std::filesystem::exists(page)) continue;
    for (const Row& row : rows_with_files(text_of(page))) {
      const std::string expected = expected_medal(solutions, row.file);
      if (row.cells.size() < 4 || (expected != "pass" && expected != "good" && expected != "excellent"))
        continue;
      EXPECT_EQ(row.cells.back(), expected) << shown(page) << ", " << row.file;
      ++compared;
    }
  }
  EXPECT_GE(compared, 20U);
}

}  // namespace
}  // namespace roofline::docs::ladder_pages
