// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// course.toml to a Course: every key is known or refused with its line (docs/course-file.md).
#include <algorithm>
#include <sstream>

#include "grader/base/given_file.h"
#include "grader/base/paths.h"
#include "grader/base/toml_table.h"
#include "grader/base/words.h"
#include "grader/batch/ceiling.h"
#include "grader/batch/course.h"
#include "grader/batch/course_points.h"
#include "grader/lab/selection.h"

namespace roofline::grader {
namespace {

/// A date of TOML, or a string in one of parse_time's forms.
std::optional<Seconds> time_of(const TomlTable& table, const std::string& key, const std::string& zone) {
  const toml::node* node = table.node(key);
  if (node == nullptr) return std::nullopt;
  std::ostringstream written;
  if (const auto* text = node->as_string()) written << text->get();
  if (const auto* moment = node->as_date_time()) written << moment->get();
  if (const auto* day = node->as_date()) written << day->get();
  const std::optional<Seconds> time = parse_time(written.str(), zone);
  if (!time) table.refuse(key, "is not a time such as 2026-11-20T23:59:00Z");
  return time;
}

std::map<std::string, Seconds> times_of(const TomlTable& table, const std::string& key,
                                        const std::string& zone) {
  std::map<std::string, Seconds> times;
  if (const auto inner = table.table(key))
    for (const std::string& name : inner->keys()) times[lower(name)] = *time_of(*inner, name, zone);
  return times;
}

std::optional<double> percent_of(const TomlTable& table, const std::string& key) {
  const std::optional<double> percent = table.number(key);
  if (percent && *percent > 100) table.refuse(key, "is more than 100 percent");
  return percent;
}

std::optional<Attempts> attempts_of(const TomlTable& table) {
  const std::optional<std::string> text = table.text("attempts");
  if (text && *text != "best" && *text != "last")
    table.refuse("attempts", "is neither \"best\" nor \"last\"");
  if (!text) return std::nullopt;
  return *text == "best" ? Attempts::kBest : Attempts::kLast;
}

class Reader {
 public:
  Reader(const TomlTable& file, Course& course) : file_(file), course_(course) {}

  void read() {
    file_.allow_only({"title", "anonymous", "attempts", "not_passed_at_most", "late", "points", "labs",
                      "sections", "exam", "limits"});
    course_.title = file_.text("title").value_or("");
    course_.anonymous = file_.flag("anonymous").value_or(false);
    course_.attempts = attempts_of(file_).value_or(Attempts::kBest);
    course_.not_passed_at_most = percent_of(file_, "not_passed_at_most");
    if (const auto limits = file_.table("limits")) read_limits(*limits);
    if (const auto late = file_.table("late")) read_late(*late);  // first: its time zone is everybody's
    if (const auto points = file_.table("points")) read_points(*points);
    if (const auto all = file_.table("labs"))
      for (const std::string& lab : all->keys()) read_lab(*all, lab);
    if (const auto all = file_.table("sections"))
      for (const std::string& name : all->keys()) read_section(*all->table(name), name);
    if (const auto exam = file_.table("exam")) read_exam(*exam);
  }

 private:
  /// The parts that a word names; `key` is where it stands.
  std::vector<std::string> parts_of(const TomlTable& table, const std::string& key,
                                    const std::string& word) const {
    std::vector<std::string> ids;
    try {
      for (const Chosen& part : select(labs_, {word})) ids.push_back(part.id());
    } catch (const UsageError& error) {
      table.refuse(key, std::string("names no lab: ") + error.what());
    }
    return ids;
  }

  void read_limits(const TomlTable& table) {
    table.allow_only({"ceiling", "budget"});
    const auto time = [&](const std::string& key) -> std::optional<double> {
      const std::optional<std::string> text = table.text(key);
      if (!text) return std::nullopt;
      const std::optional<double> seconds = parse_duration(*text);
      if (!seconds) table.refuse(key, "is no time such as \"2h\" or \"5 min\"");
      return seconds;
    };
    course_.limits = {.ceiling = time("ceiling"), .budget = time("budget")};
  }

  void read_late(const TomlTable& table) {
    table.allow_only(
        {"deadline", "grace_minutes", "percent_per_day", "most_days", "time_zone", "extensions"});
    LatePolicy& late = course_.late;
    late.time_zone = table.text("time_zone").value_or("");
    if (const std::string problem = zone_problem(late.time_zone); !problem.empty())
      table.refuse("time_zone", "is not \"Europe/Berlin\", or \"+01:00\": " + problem);
    late.deadline = time_of(table, "deadline", late.time_zone);
    late.grace = static_cast<Seconds>(60 * table.number("grace_minutes").value_or(0));
    late.percent_per_day = percent_of(table, "percent_per_day").value_or(0);
    late.most_days = table.number("most_days").value_or(-1);
    late.extensions = times_of(table, "extensions", late.time_zone);
  }

  void read_points(const TomlTable& table) {
    for (const std::string& key : table.keys()) {
      Points known;
      if (table.node(key)->is_table()) {
        const TomlTable part = *table.table(key);
        for (const std::string& id : parts_of(table, key, key))
          for (const std::string& kind : part.keys()) {
            if (points_field(known, kind) == nullptr) part.refuse(kind, "is not a kind of points");
            course_.points[id][kind] = *part.number(kind);
          }
      } else if (points_field(known, key) != nullptr) {
        course_.points["*"][key] = *table.number(key);
      } else {
        table.refuse(key, "is neither a kind of points nor a lab");
      }
    }
  }

  void read_lab(const TomlTable& all, const std::string& lab) {
    const TomlTable table = *all.table(lab);
    table.allow_only({"weight", "due", "extensions", "attempts", "not_passed_at_most", "hidden", "rubric"});
    for (const std::string& id : parts_of(all, lab, lab)) {
      LabRules& rules = course_.labs[id];  // "03" comes before "03c", which knows better
      rules.weight = table.number("weight").value_or(rules.weight);
      if (const auto due = time_of(table, "due", course_.late.time_zone)) rules.due = due;
      for (const auto& [student, until] : times_of(table, "extensions", course_.late.time_zone))
        rules.extensions[student] = until;
      if (const auto attempts = attempts_of(table)) rules.attempts = attempts;
      if (const auto most = percent_of(table, "not_passed_at_most")) rules.not_passed_at_most = most;
      if (const auto hidden = table.text("hidden")) rules.hidden = *hidden;
      if (const auto rubric = table.text("rubric")) rules.rubric = *rubric;
    }
  }

  void read_section(const TomlTable& table, const std::string& name) {
    table.allow_only({"students", "due"});
    Section& section = course_.sections[name];
    section.students = table.texts("students");
    if (const auto due = table.table("due"))
      for (const std::string& lab : due->keys())
        for (const std::string& id : parts_of(*due, lab, lab))
          section.due[id] = *time_of(*due, lab, course_.late.time_zone);
  }

  void read_exam(const TomlTable& table) {
    table.allow_only({"labs", "opens", "closes", "hints", "seeds_per_student"});
    Exam exam;
    for (const std::string& word : table.texts("labs"))
      for (const std::string& id : parts_of(table, "labs", word)) exam.parts.push_back(id);
    if (exam.parts.empty()) table.refuse("labs", "names no lab: an exam is about labs = [\"04\"]");
    exam.opens = time_of(table, "opens", course_.late.time_zone);
    exam.closes = time_of(table, "closes", course_.late.time_zone);
    if (exam.opens && exam.closes && *exam.closes <= *exam.opens)
      table.refuse("closes", "is not after the exam opens");
    for (const std::string& id : exam.parts)
      if (course_.rules_of(id).due)
        table.refuse("labs", "names " + id + ", which also has labs." + id + ".due: an exam closes");
    exam.hints = table.flag("hints").value_or(false);
    exam.seeds_per_student = table.flag("seeds_per_student").value_or(true);
    course_.exam = std::move(exam);
  }

  const TomlTable& file_;
  Course& course_;
  const std::vector<Lab>& labs_ = all_labs();
};

}  // namespace

Course Course::read(const std::filesystem::path& file) {
  Course course = parse(read_given(file), file.string());
  for (auto& [id, rules] : course.labs)  // beside the course file
    if (!rules.hidden.empty()) {
      rules.hidden = file.parent_path() / rules.hidden;
      require_file(rules.hidden, ", which labs." + id + ".hidden in " + file.string() + " names");
    }
  return course;
}

Course Course::parse(const std::string& text, const std::string& name) {
  const toml::table table = parse_toml(text, name);
  Course course;
  Reader(TomlTable(table, name), course).read();
  return course;
}

}  // namespace roofline::grader
