// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The class as two tables: a row a submission with a column a check, and the checks by how few passed them.
#include <algorithm>
#include <map>

#include "grader/formats/csv.h"
#include "grader/formats/format.h"
#include "grader/formats/hardest.h"

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

/// Where points come from, "01:correctness", in the order in which it was first seen.
std::vector<std::string> lines_of(const std::vector<Graded>& all) {
  std::vector<std::string> lines;
  for (const Graded& graded : all)
    for (const Result& result : graded.results)
      for (const ScoreLine& line : result.lines)
        if (const std::string column = result.part + ":" + line.id;
            std::ranges::find(lines, column) == lines.end())
          lines.push_back(column);
  return lines;
}

std::map<std::string, std::string> line_points_of(const Graded& graded) {
  std::map<std::string, std::string> points;
  for (const Result& result : graded.results)
    for (const ScoreLine& line : result.lines) points[result.part + ":" + line.id] = decimal(line.points);
  return points;
}

void add_cells(CsvRow& row, const std::vector<std::string>& columns,
               const std::map<std::string, std::string>& cells) {
  for (const std::string& column : columns) row.push_back(cells.contains(column) ? cells.at(column) : "");
}

/// What a person has to look at.
std::string held_of(const Graded& graded) {
  const std::string stranger = graded.in_roster ? "" : "not in the roster";
  return stranger.empty() || graded.held.empty() ? stranger + graded.held : stranger + "; " + graded.held;
}

/// No points rather than 0, which an importer would take for a grade.
CsvRow absent_row(const Graded& absent, size_t columns) {
  CsvRow row = {csv_cell(absent.id),
                csv_cell(one_line(absent.name)),
                csv_cell(one_line(absent.email)),
                "",
                "",
                "not-handed-in",
                "",
                ""};
  row.resize(columns);
  return row;
}

bool has_any(const std::vector<Graded>& all, std::string Graded::*text) {
  return std::ranges::any_of(all, [&](const Graded& graded) { return !(graded.*text).empty(); });
}

std::string class_csv(const std::vector<Graded>& all, const FormatOptions& options) {
  const std::vector<std::string> columns = columns_of(all), lines = lines_of(all);
  CsvRow header = {"id",     "name", "email",     "points",    "max",    "verdict",
                   "remark", "held", "handed_in", "days_late", "factor", "raw_points"};
  const bool sections = has_any(all, &Graded::section), comments = has_any(all, &Graded::comment);
  if (sections) header.push_back("section");
  if (comments) header.push_back("comment");
  for (const std::string& line : lines) header.push_back(csv_cell(line));
  for (const std::string& column : columns) header.push_back(csv_cell(column));
  std::vector<CsvRow> rows = {header};
  for (const Graded& graded : all) {
    const bool known = !graded.not_reached();  // else no points rather than 0, as of who handed in nothing
    CsvRow row = {csv_cell(graded.id),
                  csv_cell(one_line(graded.name)),
                  csv_cell(one_line(graded.email)),
                  known ? decimal(graded.points()) : "",
                  decimal(graded.max_points()),
                  known ? std::string(name_of(graded.verdict())) : "not-reached",
                  csv_cell(one_line(graded.remark)),
                  csv_cell(one_line(held_of(graded))),
                  csv_cell(one_line(graded.handed_in)),
                  decimal(graded.days_late),
                  decimal(graded.factor),
                  known ? decimal(graded.raw_points()) : ""};
    if (sections) row.push_back(csv_cell(one_line(graded.section)));
    if (comments) row.push_back(csv_cell(one_line(graded.comment)));
    add_cells(row, lines, known ? line_points_of(graded) : std::map<std::string, std::string>{});
    add_cells(row, columns, outcomes_of(graded));
    rows.push_back(std::move(row));
  }
  for (const Graded& absent : options.absent) rows.push_back(absent_row(absent, header.size()));
  return csv_text(rows);
}

std::string hardest_csv(const std::vector<Graded>& all, const FormatOptions&) {
  std::vector<CsvRow> rows = {{"check", "title", "passed", "of", "percent"}};
  for (const CheckTally& check : hardest_checks(all))
    rows.push_back({csv_cell(check.part + "/" + check.id), csv_cell(one_line(check.title)),
                    std::to_string(check.passed), std::to_string(check.of),
                    decimal(100 * static_cast<double>(check.passed) / static_cast<double>(check.of))});
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
