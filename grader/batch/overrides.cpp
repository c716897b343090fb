// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/overrides.h"

#include <algorithm>
#include <sstream>

#include "grader/base/given_file.h"
#include "grader/base/toml_table.h"
#include "grader/base/words.h"

namespace roofline::grader {
namespace {

std::string day_of(const TomlTable& table) {
  const toml::node* node = table.node("when");
  if (node == nullptr) table.refuse("when", "is missing: the day of the decision, such as 2026-12-01");
  std::ostringstream written;
  if (const auto* day = node->as_date()) written << day->get();
  if (const auto* moment = node->as_date_time()) written << moment->get();
  if (const auto* text = node->as_string()) written << text->get();
  if (!parse_time(written.str())) table.refuse("when", "is no day such as 2026-12-01");
  return written.str();
}

Override override_of(const TomlTable& table, const std::vector<Lab>& labs) {
  table.allow_only({"student", "lab", "points", "comment", "release", "by", "when"});
  Override one;
  for (const auto& [key, place] : {std::pair("student", &one.student), std::pair("by", &one.by)}) {
    *place = table.text(key).value_or("");
    if (place->empty()) table.refuse(key, "is missing");
  }
  if (const auto lab = table.text("lab")) {
    std::vector<Chosen> parts;
    try {
      parts = select(labs, {*lab});
    } catch (const UsageError& error) {
      table.refuse("lab", std::string("names no lab: ") + error.what());
    }
    if (parts.size() != 1) table.refuse("lab", "has several parts: name one, such as " + parts[0].id());
    one.part = parts[0].id();
  }
  one.points = table.number("points");
  one.comment = table.text("comment").value_or("");
  one.release = table.flag("release").value_or(false);
  one.when = day_of(table);
  if (!one.points && one.comment.empty() && !one.release)
    table.refuse("student", "has neither points nor a comment nor release: nothing is decided");
  return one;
}

/// A person's points stand where the grader found none.
void without_error(Result& result) {
  if (result.verdict == Verdict::kError) result.verdict = Verdict::kSkipped;
}

void set_part(Graded& student, const Override& one) {
  const auto result = std::ranges::find(student.results, one.part, &Result::part);
  if (result == student.results.end())
    throw UsageError("the override of " + one.student + " is about lab " + one.part +
                     ", which is not in this class");
  if (result->lines.empty()) result->lines = score_lines(*result);
  result->lines.push_back(
      {.id = "override", .title = "decided by " + one.by, .points = *one.points - result->points, .max = 0});
  result->points = *one.points;
  without_error(*result);
}

std::string decision(const Graded& student, const Override& one) {
  std::string text = one.comment;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (one.points && one.part.empty()) add("the grade is " + decimal(*one.points));
  if (one.points && !one.part.empty()) add(one.part + " has " + decimal(*one.points) + " points");
  if (one.release && !student.held.empty()) add("looked at: final");
  return one.by + ", " + one.when + ": " + text;
}

}  // namespace

std::vector<Override> parse_overrides(const std::string& text, const std::string& name) {
  const toml::table file = parse_toml(text, name);
  TomlTable(file, name).allow_only({"override"});
  const toml::node* all = file.get("override");
  if (all == nullptr) return {};
  if (!all->is_array_of_tables())
    TomlTable(file, name).refuse("override", "is no [[override]], with two brackets");
  const std::vector<Lab>& labs = all_labs();
  std::vector<Override> overrides;
  for (const toml::node& one : *all->as_array())
    overrides.push_back(override_of(TomlTable(*one.as_table(), name, "override"), labs));
  return overrides;
}

std::vector<Override> read_overrides(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  return parse_overrides(read_given(file), file.string());
}

std::string handed_in_by(const std::string& name, const std::vector<std::string>& ids,
                         const std::vector<Student>& roster) {
  const Student* student = find_student(roster, {name});
  const std::string wanted = lower(student == nullptr ? name : safe_id(student->id));
  std::string found;
  for (const std::string& id : ids) {
    if (lower(id) != wanted) continue;
    if (!found.empty() && found != id) return {};
    found = id;
  }
  return found;
}

std::string decided_about(const Override& one, const std::vector<std::string>& ids,
                          const std::vector<Student>& roster) {
  std::string id = handed_in_by(one.student, ids, roster);
  if (id.empty())
    throw UsageError(
        "overrides.toml decides about " + one.student +
        ", who handed in nothing, is not known here, or could be several students: an id says who");
  return id;
}

void apply_overrides(ClassOutcome& outcome, const std::vector<Override>& overrides,
                     const std::vector<Student>& roster) {
  std::vector<std::string> ids;
  for (const Graded& student : outcome.students) ids.push_back(student.id);
  for (const Override& one : overrides) {
    const auto student = std::ranges::find(outcome.students, decided_about(one, ids, roster), &Graded::id);
    student->comment += (student->comment.empty() ? "" : " | ") + decision(*student, one);
    if (one.points && !one.part.empty()) set_part(*student, one);
    if (one.points && one.part.empty()) {
      student->set = one.points;
      std::ranges::for_each(student->results, without_error);
    }
    if (one.release) student->held.clear();
  }
  outcome.errors = static_cast<std::size_t>(std::ranges::count_if(
      outcome.students, [](const Graded& student) { return student.verdict() == Verdict::kError; }));
}

}  // namespace roofline::grader
