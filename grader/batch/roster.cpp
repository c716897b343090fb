// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/roster.h"

#include <algorithm>
#include <functional>
#include <map>

#include "grader/base/paths.h"
#include "grader/base/printable.h"
#include "grader/base/words.h"
#include "grader/formats/csv.h"
#include "grader/text/terminal.h"

namespace roofline::grader {
namespace {

/// What a column is here: lists that platforms export are rosters, too. A name may have two columns.
std::string roster_column(const std::string& header) {
  static const std::map<std::string, std::string> kKnown = {
      {"student", "name"},   {"full name", "name"}, {"first name", "name"},     {"last name", "name"},
      {"firstname", "name"}, {"lastname", "name"},  {"email address", "email"}, {"id number", "id"},
      {"student id", "id"},  {"sid", "id"},         {"orgdefinedid", "id"}};
  const std::string name = lower(header);
  const auto known = kKnown.find(name);
  return known == kKnown.end() ? name : known->second;
}

/// A name as it is in names of files: Moodle leaves out what some system refuses there, and writes its own
/// separator as a blank.
std::string in_file_names(std::string name) {
  std::erase_if(name,
                [](char c) { return std::string_view("&<>\"`|':\\/").find(c) != std::string_view::npos; });
  std::ranges::replace(name, '_', ' ');
  return lower(name);
}

}  // namespace

std::vector<Student> parse_roster(const std::string& csv, const std::string& name, const std::string& zone) {
  const auto rows = csv_rows(csv);
  if (rows.empty()) throw UsageError(name + " is empty; its first line names the columns: id,name,email");
  std::vector<std::string> columns;
  for (const std::string& cell : rows[0]) columns.push_back(roster_column(cell));
  const auto has = [&](const char* column) { return std::ranges::find(columns, column) != columns.end(); };
  if (!has("id") && !has("email"))
    throw UsageError(name + " has neither a column id nor a column email in its first line");
  std::vector<Student> students;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    Student student;
    for (std::size_t c = 0; c < rows[r].size() && c < columns.size(); ++c) {
      std::string cell = rows[r][c];
      // Brightspace puts # in front of ids, so that no spreadsheet takes them for numbers.
      if (cell.starts_with('#') && (columns[c] == "id" || columns[c] == "username")) cell.erase(0, 1);
      if (columns[c] == "id" && student.id.empty()) {
        student.id = cell;
      } else if (columns[c] == "name") {
        student.name += (student.name.empty() || cell.empty() ? "" : " ") + cell;
      } else if (columns[c] == "email") {
        student.email = cell;
      } else if (columns[c] == "submitted") {
        if (cell.empty()) continue;
        student.handed_in = parse_time(cell, zone);
        if (!student.handed_in)
          throw UsageError(name + " line " + std::to_string(r + 1) + ": submitted is not a time");
      } else if (columns[c] == "section") {
        student.section = cell;
      } else if (columns[c] == "identifier") {
        student.account = cell;
      } else if (!cell.empty()) {
        student.also.push_back(cell);
      }
    }
    if (student.id.empty()) student.id = student.email.substr(0, student.email.find('@'));
    if (!student.id.empty()) students.push_back(std::move(student));
  }
  if (students.empty())
    throw UsageError(name + " has no line with an id or an email: nobody is in the class");
  return students;
}

const Student* find_student(const std::vector<Student>& roster, const std::vector<std::string>& told) {
  std::vector<std::string> names, file_names;
  for (const std::string& name : told) {
    if (name.empty()) continue;
    names.push_back(lower(name));
    if (std::string plain = in_file_names(name); !plain.empty()) file_names.push_back(std::move(plain));
  }
  const auto is_told = [&](const std::string& cell) {
    return std::ranges::find(names, lower(cell)) != names.end();
  };
  using Fits = std::function<bool(const Student&)>;
  const Fits ways[] = {
      [&](const Student& student) {
        return is_told(student.id) || is_told(student.email) || is_told(student.account);
      },
      [&](const Student& student) {
        return std::ranges::find(file_names, in_file_names(student.name)) != file_names.end();
      },
      [&](const Student& student) { return std::ranges::any_of(student.also, is_told); },
      [&](const Student& student) { return is_told(student.email.substr(0, student.email.find('@'))); },
  };
  for (const Fits& fits : ways) {
    const Student* found = nullptr;
    for (const Student& student : roster) {
      if (!fits(student)) continue;
      if (found != nullptr && found->id != student.id) return nullptr;
      found = &student;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::string shown(const Student& student) {
  return printable(student.name.empty() ? student.id : student.name + " (" + student.id + ")");
}

}  // namespace roofline::grader
