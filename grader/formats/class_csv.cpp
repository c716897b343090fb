// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The class as two tables: a row a submission with a column a check, and the checks by how few passed them.
#include <algorithm>
#include <map>

#include "grader/formats/csv.h"
#include "grader/formats/format.h"

namespace roofline::grader {
namespace {

/// Columns in the order in which the checks were first seen: "01/n-257".
std::vector<std::string> columns_of(const std::vector<Graded>& all) {
  std::vector<std::string> columns;
  for (const Graded& graded : all)
    for (const Result& result : graded.results)
      for (const Check& check : result.checks)
        if (const std::string column = result.part + "/" + check.id;
            std::ranges::find(columns, column) == columns.end())
          columns.push_back(column);
  return columns;
}

std::map<std::string, std::string> outcomes_of(const Graded& graded) {
  std::map<std::string, std::string> outcomes;
  for (const Result& result : graded.results)
    for (const Check& check : result.checks) outcomes[result.part + "/" + check.id] = outcome(check);
  return outcomes;
}

/// What a person has to look at.
std::string held_of(const Graded& graded) {
  const std::string stranger = graded.in_roster ? "" : "not in the roster";
  return stranger.empty() || graded.held.empty() ? stranger + graded.held : stranger + "; " + graded.held;
}

/// No points rather than 0, which an importer would take for a grade.
CsvRow absent_row(const Graded& absent, size_t checks) {
  CsvRow row = {csv_cell(absent.id),
                csv_cell(one_line(absent.name)),
                csv_cell(one_line(absent.email)),
                "",
                "",
                "not-handed-in",
                "",
                ""};
  row.resize(row.size() + checks);
  return row;
}

std::string class_csv(const std::vector<Graded>& all, const FormatOptions& options) {
  const std::vector<std::string> columns = columns_of(all);
  CsvRow header = {"id", "name", "email", "points", "max", "verdict", "remark", "held"};
  for (const std::string& column : columns) header.push_back(csv_cell(column));
  std::vector<CsvRow> rows = {header};
  for (const Graded& graded : all) {
    CsvRow row = {csv_cell(graded.id),
                  csv_cell(one_line(graded.name)),
                  csv_cell(one_line(graded.email)),
                  decimal(graded.points()),
                  decimal(graded.max_points()),
                  std::string(name_of(graded.verdict())),
                  csv_cell(one_line(graded.remark)),
                  csv_cell(one_line(held_of(graded)))};
    const auto outcomes = outcomes_of(graded);
    for (const std::string& column : columns)
      row.push_back(outcomes.contains(column) ? outcomes.at(column) : "");
    rows.push_back(std::move(row));
  }
  for (const Graded& absent : options.absent) rows.push_back(absent_row(absent, columns.size()));
  return csv_text(rows);
}

std::string hardest_csv(const std::vector<Graded>& all, const FormatOptions&) {
  struct Line {
    std::string column, title;
    unsigned passed = 0, ran = 0;
    double share() const { return static_cast<double>(passed) / ran; }
  };
  std::vector<Line> lines;
  for (const Graded& graded : all) {
    for (const Result& result : graded.results) {
      for (const Check& check : result.checks) {
        if (check.verdict == Verdict::kSkipped && check.reason == Class::kUnsupportedDevice) continue;
        const std::string column = result.part + "/" + check.id;
        auto line = std::ranges::find(lines, column, &Line::column);
        if (line == lines.end()) line = lines.insert(lines.end(), {.column = column, .title = check.title});
        ++line->ran;
        line->passed += check.verdict == Verdict::kPass ? 1 : 0;
      }
    }
  }
  std::ranges::stable_sort(lines, {}, &Line::share);
  std::vector<CsvRow> rows = {{"check", "title", "passed", "of", "percent"}};
  for (const Line& line : lines)
    rows.push_back({csv_cell(line.column), csv_cell(one_line(line.title)), std::to_string(line.passed),
                    std::to_string(line.ran), decimal(100 * line.share())});
  return csv_text(rows);
}

}  // namespace

Format class_format() {
  return {.name = "class",
          .what = "CSV of the class: a row a submission, a column a check",
          .file = "class.csv",
          .of = Format::Of::kClass,
          .text = class_csv};
}

Format hardest_format() {
  return {.name = "hardest",
          .what = "CSV of the checks, those that fewest passed first",
          .file = "hardest.csv",
          .of = Format::Of::kClass,
          .text = hardest_csv};
}

}  // namespace roofline::grader
