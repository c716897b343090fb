// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "grader/base/printable.h"
#include "grader/batch/batch.h"
#include "grader/formats/format.h"
#include "grader/text/table.h"

namespace roofline::grader {
namespace {

constexpr std::size_t kMostNames = 12;
constexpr std::size_t kLongestCell = 60;

std::string few_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostNames; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNames)
    text += " and " + std::to_string(names.size() - kMostNames) + " more: see the overview";
  return text;
}

/// Folders carry a student's name in many forms; where the id says as much, it is enough.
bool has_names(const ClassOutcome& outcome) {
  return std::ranges::any_of(outcome.students, [](const Graded& student) {
    return !student.name.empty() && student.name != student.id;
  });
}

std::string table_of(const ClassOutcome& outcome, const Terminal& terminal) {
  const bool names = has_names(outcome);
  std::vector<Column> columns = {{"student"}};
  if (names) columns.push_back({"name"});
  columns.insert(columns.end(), {{"points", Column::Align::kRight}, {"verdict"}, {"graded"}});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < outcome.students.size(); ++i) {
    const Graded& student = outcome.students[i];
    std::string verdict;
    for (const Result& result : student.results) {
      const std::string why(name_of(result.reason));
      verdict += (verdict.empty() ? "" : ", ") + (why.empty() ? std::string(name_of(result.verdict)) : why);
    }
    std::vector<std::string> row = {student.id};
    if (names) row.push_back(one_line(student.name, kLongestCell));
    row.insert(row.end(), {student.not_reached() ? "" : decimal(student.points()), verdict,
                           one_line(outcome.chosen[i].label, kLongestCell)});
    table.add(std::move(row));
  }
  return table.render(terminal);
}

}  // namespace

std::string graded_on(const ClassOutcome& outcome) {
  for (const Graded& student : outcome.students)
    for (const Result& result : student.results)
      if (!result.device.name.empty())
        return result.device.simulated ? "Graded on the simulated " + printable(result.device.name) +
                                             ": times are modelled, not measured."
                                       : "Graded on " + printable(result.device.name) + ".";
  return {};
}

std::string class_summary(const ClassOutcome& outcome, const Terminal& terminal) {
  std::string text = table_of(outcome, terminal) + "\n  " + std::to_string(outcome.students.size()) +
                     " students, " + std::to_string(outcome.submissions) + " submissions, " +
                     std::to_string(outcome.different) + " of them different\n";
  if (const std::string device = graded_on(outcome); !device.empty()) text += "  " + device + "\n";
  if (outcome.not_reached != 0)
    text += "  " + std::to_string(outcome.not_reached) + " of " + std::to_string(outcome.students.size()) +
            " students were not reached: no points yet\n";
  std::vector<std::string> unread;
  for (std::size_t i = 0; i < outcome.students.size(); ++i)
    if (!outcome.chosen[i].problem.empty()) unread.push_back(outcome.students[i].id);
  if (!unread.empty()) text += "  not as the lab asks for it, see the overview: " + few_of(unread) + "\n";
  for (const SameFile& same : outcome.same)
    text += "  the same file in " + same.part + ": " + few_of(same.ids) + "\n";
  if (outcome.in_roster == 0 && outcome.strangers().empty()) return text;
  std::vector<std::string> absent, strangers;
  for (const Student& student : outcome.absent) absent.push_back(shown(student));
  for (const Graded* student : outcome.strangers()) strangers.push_back(printable(student->id));
  text += "  " + std::to_string(absent.size()) + " of " + std::to_string(outcome.in_roster) +
          " in the roster handed in nothing" + (absent.empty() ? "" : ": " + few_of(absent)) + "\n";
  if (!strangers.empty())
    text += "  " + std::to_string(strangers.size()) + " of " + std::to_string(outcome.students.size()) +
            " students are not in the roster: " + few_of(strangers) + "\n";
  return text;
}

}  // namespace roofline::grader
