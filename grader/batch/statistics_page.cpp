// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/statistics_page.h"

#include <algorithm>
#include <map>
#include <set>

#include "grader/base/xml.h"
#include "grader/batch/page.h"
#include "grader/formats/csv.h"
#include "grader/formats/hardest.h"
#include "grader/result/statistics.h"

namespace roofline::grader {
namespace {

constexpr std::size_t kTenths = 10;

double percent_of(const Graded& student) {
  return student.max_points() > 0 ? 100 * student.points() / student.max_points() : 0;
}

/// Everybody ("") first, then the sections there are.
std::set<std::string> sections_of(const GradedClass& one) {
  std::set<std::string> sections = {""};
  for (const Graded& student : one.students) sections.insert(student.section);
  return sections;
}

std::vector<Graded> students_of(const GradedClass& one, const std::string& section) {
  std::vector<Graded> students = one.students;
  if (!section.empty())
    std::erase_if(students, [&](const Graded& student) { return student.section != section; });
  return students;
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string row = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i)
    row += (i < 2 ? "<td>" : "<td class=\"number\">") + xml_escaped(cells[i]) + "</td>";
  return row + "</tr>\n";
}

std::string points_table(const std::vector<StatisticsRow>& rows) {
  std::string table =
      "<div class=\"scroll\"><table><tr><th>class</th><th>section</th><th class=\"number\">students</th><th "
      "class=\"number\">passed</th><th class=\"number\">no verdict</th><th class=\"number\">mean</th><th "
      "class=\"number\">median</th><th class=\"number\">lower quartile</th><th class=\"number\">upper "
      "quartile</th><th class=\"number\">least</th><th class=\"number\">most</th></tr>\n";
  for (const StatisticsRow& row : rows)
    table += table_row({row.name, row.section.empty() ? "all" : row.section, std::to_string(row.spread.n),
                        std::to_string(row.passed), std::to_string(row.without_verdict),
                        decimal(row.spread.mean), decimal(row.spread.median), decimal(row.spread.q1),
                        decimal(row.spread.q3), decimal(row.spread.least), decimal(row.spread.most)});
  return table + "</table></div>\n";
}

std::string checks_table(const GradedClass& one) {
  std::string rows;
  for (const CheckTally& check : hardest_checks(one.students))
    if (check.passed < check.of)
      rows += table_row({check.part, check.title, std::to_string(check.passed), std::to_string(check.of)});
  if (rows.empty()) return "<p>Everybody passed every check.</p>\n";
  return "<div class=\"scroll\"><table><tr><th>lab</th><th>check</th><th class=\"number\">passed</th><th "
         "class=\"number\">of</th></tr>\n" +
         rows + "</table></div>\n";
}

}  // namespace

Spread spread_of(const std::vector<double>& percents) {
  Spread spread;
  spread.n = percents.size();
  spread.tenths.assign(kTenths, 0);
  if (percents.empty()) return spread;
  for (const double percent : percents) {
    spread.mean += percent / static_cast<double>(percents.size());
    const auto tenth = static_cast<std::size_t>(std::max(0.0, percent) / 100 * kTenths);
    ++spread.tenths[std::min(tenth, kTenths - 1)];
  }
  spread.median = quantile(percents, 0.5);
  spread.q1 = quantile(percents, 0.25);
  spread.q3 = quantile(percents, 0.75);
  spread.least = std::ranges::min(percents);
  spread.most = std::ranges::max(percents);
  return spread;
}

std::vector<StatisticsRow> statistics_rows(const std::vector<GradedClass>& classes) {
  std::vector<StatisticsRow> rows;
  for (const GradedClass& one : classes)
    for (const std::string& section : sections_of(one)) {
      StatisticsRow& row = rows.emplace_back();
      row.name = one.name;
      row.section = section;
      std::vector<double> percents;
      for (const Graded& student : students_of(one, section)) {
        const Verdict verdict = student.verdict();
        row.passed += verdict == Verdict::kPass ? 1 : 0;
        row.without_verdict += verdict == Verdict::kError ? 1 : 0;
        if (verdict != Verdict::kError) percents.push_back(percent_of(student));
      }
      row.spread = spread_of(percents);
    }
  return rows;
}

std::string statistics_csv(const std::vector<GradedClass>& classes) {
  CsvRow header = {"class",  "section", "students", "passed", "no_verdict", "mean",
                   "median", "q1",      "q3",       "least",  "most"};
  for (std::size_t i = 0; i < kTenths; ++i) header.push_back("from_" + std::to_string(10 * i));
  std::vector<CsvRow> rows = {header};
  for (const StatisticsRow& row : statistics_rows(classes)) {
    CsvRow& cells = rows.emplace_back(CsvRow{
        csv_cell(row.name), csv_cell(row.section), std::to_string(row.spread.n), std::to_string(row.passed),
        std::to_string(row.without_verdict), decimal(row.spread.mean), decimal(row.spread.median),
        decimal(row.spread.q1), decimal(row.spread.q3), decimal(row.spread.least), decimal(row.spread.most)});
    for (const std::size_t students : row.spread.tenths) cells.push_back(std::to_string(students));
  }
  return csv_text(rows);
}

std::string checks_csv(const std::vector<GradedClass>& classes) {
  std::vector<CsvRow> rows = {{"class", "section", "check", "title", "passed", "of"}};
  for (const GradedClass& one : classes)
    for (const std::string& section : sections_of(one))
      for (const CheckTally& check : hardest_checks(students_of(one, section)))
        rows.push_back({csv_cell(one.name), csv_cell(section), csv_cell(check.part + "/" + check.id),
                        csv_cell(one_line(check.title)), std::to_string(check.passed),
                        std::to_string(check.of)});
  return csv_text(rows);
}

std::string grades_csv(const std::vector<GradedClass>& classes) {
  std::map<std::string, const Graded*> people;
  std::map<std::string, std::map<std::string, std::string>> grades;  // by id, then class
  CsvRow header = {"id", "name", "email", "section"};
  for (const GradedClass& one : classes) {
    header.push_back(csv_cell(one.name));
    for (const Graded& student : one.students) {
      people.emplace(student.id, &student);
      if (student.verdict() != Verdict::kError) grades[student.id][one.name] = decimal(student.points());
    }
  }
  std::vector<CsvRow> rows = {header};
  for (const auto& [id, person] : people) {
    CsvRow& row =
        rows.emplace_back(CsvRow{csv_cell(id), csv_cell(one_line(person->name)),
                                 csv_cell(one_line(person->email)), csv_cell(one_line(person->section))});
    for (const GradedClass& one : classes) row.push_back(grades[id][one.name]);
  }
  return csv_text(rows);
}

std::string statistics_page(const std::vector<GradedClass>& classes) {
  const std::vector<StatisticsRow> rows = statistics_rows(classes);
  std::string body =
      "<p>Percent of the points of who handed in; who handed in nothing is not counted. The sum over the "
      "term "
      "is made by your learning platform.</p>\n" +
      points_table(rows);
  for (const GradedClass& one : classes) {
    body += "<h2>" + xml_escaped(one.name) + "</h2>\n";
    for (const StatisticsRow& row : rows)
      if (row.name == one.name && row.section.empty()) body += histogram(row.spread.tenths);
    body += checks_table(one);
  }
  return html_page("Statistics", body);
}

}  // namespace roofline::grader
