// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/class_setup.h"

#include <algorithm>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/base/words.h"
#include "grader/batch/intake.h"
#include "grader/lab/hidden.h"

namespace roofline::grader {
namespace {

std::vector<std::string> ids_of(const std::vector<Chosen>& parts) {
  std::vector<std::string> ids;
  for (const Chosen& part : parts) ids.push_back(part.id());
  return ids;
}

/// One batch has one rule: what all parts say.
template <typename Rule>
Rule same_for_all(const std::vector<Chosen>& parts, const char* what, auto rule_of) {
  const Rule first = rule_of(parts.front().id());
  for (const Chosen& part : parts)
    if (rule_of(part.id()) != first)
      throw UsageError("the course file has another " + std::string(what) + " for " + part.id() +
                       " than for " + parts.front().id() + ": grade them in a batch each");
  return first;
}

std::string id_in(const std::vector<Student>& roster, const std::string& name, const std::string& what) {
  if (roster.empty()) return lower(name);
  const Student* student = find_student(roster, {name});
  if (student == nullptr)
    throw UsageError(what + " names " + name + ", who is nobody in the roster, or several students");
  return lower(safe_id(student->id));
}

void find_sections(Course& course, const std::vector<Student>& roster) {
  for (const auto& [name, section] : course.sections)
    for (const std::string& student : section.students)
      course.section_of[id_in(roster, student, "sections." + name)] = name;
  for (const Student& student : roster)
    if (!student.section.empty()) course.section_of.emplace(lower(safe_id(student.id)), student.section);
}

/// By who is meant most exactly: the term's extensions, then the section's due time, then the lab's
/// extensions.
void find_due_times(Course& course, const std::vector<Chosen>& parts, const std::vector<Student>& roster) {
  const auto rules = [&](const std::string& id) { return course.rules_of(id); };
  using Due = std::optional<Seconds>;
  using Times = std::map<std::string, Seconds>;
  const Due due = same_for_all<Due>(parts, "due time", [&](const auto& id) { return rules(id).due; });
  const auto own =
      same_for_all<Times>(parts, "extension", [&](const auto& id) { return rules(id).extensions; });
  LatePolicy& late = course.late;
  if (due) late.deadline = due;
  // An extension of the term that ends before this lab is due has nothing to say about it.
  if (due) std::erase_if(late.extensions, [&](const auto& one) { return one.second <= *due; });
  if (!roster.empty()) name_by_id(late, roster);
  for (const auto& [student, name] : course.section_of) {
    const auto section = course.sections.find(name);
    if (section == course.sections.end()) continue;
    const Due theirs = same_for_all<Due>(parts, "due time of a section", [&](const std::string& id) {
      const auto found = section->second.due.find(id);
      return found == section->second.due.end() ? Due() : Due(found->second);
    });
    if (theirs) late.extensions.emplace(student, *theirs);
  }
  for (const auto& [student, until] : own)
    late.extensions[id_in(roster, student, "labs." + parts.front().id() + ".extensions")] = until;
  if (const Exam* exam = course.exam_of(ids_of(parts))) {
    late.opens = exam->opens;
    late.deadline = exam->closes;
    late.closes = exam->closes.has_value();
  }
}

}  // namespace

void fit_course(Course& course, const std::vector<Chosen>& parts, const std::vector<Student>& roster) {
  find_sections(course, roster);
  find_due_times(course, parts, roster);
  (void)same_for_all<std::optional<Attempts>>(
      parts, "rule for attempts", [&](const std::string& id) { return course.rules_of(id).attempts; });
}

ClassSetup::ClassSetup(const ClassFiles& files) : wanted_seed_(files.seed) {
  parts_ = select(labs_, files.labs.empty() ? std::vector<std::string>{"01"} : files.labs);
  if (!files.course.empty()) course_ = Course::read(files.course);
  read_hidden(files.hidden);
  if (!files.roster.empty())
    roster_ = parse_roster(read_given(files.roster), files.roster.string(), course_.late.time_zone);
  fit_course(course_, parts_, roster_);
}

void ClassSetup::read_hidden(std::filesystem::path file) {
  if (file.empty())
    file = same_for_all<std::filesystem::path>(
        parts_, "file of hidden cases", [&](const std::string& id) { return course_.rules_of(id).hidden; });
  if (file.empty()) return;
  wanted_seed_ = add_hidden(labs_, file, wanted_seed_);
  hidden_ = read_file(file);
}

std::uint64_t ClassSetup::seed_for(const std::string& student, std::uint64_t class_seed) const {
  const Exam* exam = course_.exam_of(ids_of(parts_));
  if (exam == nullptr || !exam->seeds_per_student) return class_seed;
  return std::stoull(sha256_hex(std::to_string(class_seed) + '\0' + student).substr(0, 13), nullptr, 16) | 1;
}

}  // namespace roofline::grader
