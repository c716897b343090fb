// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "grader/batch/course.h"

/// Who is in the class.
namespace roofline::grader {

struct Student {
  std::string id, name, email;
  std::string section{};               ///< column `section`
  std::string account{};               ///< column `Identifier` of Moodle's grading worksheet
  std::vector<std::string> also{};     ///< other columns: ids by which a platform knows the student
  std::optional<Seconds> handed_in{};  ///< column `submitted`
};

/// A CSV with a header line; `id` or `email` must be among its columns (also name, submitted, and any
/// others), or what a platform exports. `zone`: of times without one. Throws UsageError.
std::vector<Student> parse_roster(const std::string& csv, const std::string& name,
                                  const std::string& zone = {});

/// The student of whom `told` speaks: an id, address, name or other cell of the roster, letters of any case.
/// Nobody where two students could be meant. An id or an address decides before a name does, which counts as
/// Moodle writes it into names of files ("Sinead ONeil"), and a name before the other columns, which
/// classmates may share, and before what stands in front of an address's @.
const Student* find_student(const std::vector<Student>& roster, const std::vector<std::string>& told);

/// "Ada Lovelace (ada)", or the id alone where there is no name.
std::string shown(const Student& student);

}  // namespace roofline::grader
