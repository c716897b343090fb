// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/anonymous.h"

#include <algorithm>
#include <map>
#include <utility>

#include "grader/base/file.h"

namespace roofline::grader {

std::string anonymous_id(const std::string& id, std::uint64_t class_seed) {
  return "student-" + sha256_hex(std::to_string(class_seed) + '\0' + id).substr(0, 8);
}

void hide_labels(std::vector<HandedIn>& attempts) {
  std::map<std::string, std::size_t> seen;
  for (HandedIn& attempt : attempts) {
    attempt.label = "submission " + std::to_string(++seen[attempt.id]);
    // "ada.zip: the archive is damaged"
    if (const std::size_t colon = attempt.problem.find(": ");
        colon != std::string::npos && is_archive(attempt.problem.substr(0, colon)))
      attempt.problem.erase(0, colon + 2);
  }
}

void hide_people(ClassOutcome& outcome, std::uint64_t class_seed) {
  const auto hide = [&](auto& person) {
    person.id = anonymous_id(person.id, class_seed);
    person.name.clear();
    person.email.clear();
  };
  std::vector<std::pair<Graded, HandedIn>> all;
  for (std::size_t i = 0; i < outcome.students.size(); ++i) {
    hide(outcome.students[i]);
    hide(outcome.chosen[i]);
    all.emplace_back(std::move(outcome.students[i]), std::move(outcome.chosen[i]));
  }
  std::ranges::sort(all, {}, [](const auto& one) { return one.first.id; });
  outcome.students.clear();
  outcome.chosen.clear();
  for (auto& [student, chosen] : all) {
    outcome.students.push_back(std::move(student));
    outcome.chosen.push_back(std::move(chosen));
  }
  for (Student& student : outcome.absent) hide(student);
  std::ranges::sort(outcome.absent, {}, &Student::id);
  for (SameFile& same : outcome.same) {
    for (std::string& id : same.ids) id = anonymous_id(id, class_seed);
    std::ranges::sort(same.ids);
  }
}

}  // namespace roofline::grader
