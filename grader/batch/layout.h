// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/batch/course.h"

/// How the platforms name what they export.
namespace roofline::grader {

struct Layout {
  std::string id;  ///< of the student, as far as the name tells
  std::string name{}, email{}, platform_id{};
  std::optional<Seconds> time{};
};
/// From the name of a folder or file: Moodle, Canvas, else the name itself without the ending.
Layout layout_of(const std::string& entry);

struct GradescopeEntry {
  struct Person {
    std::string name, email, student_id;
  };
  std::vector<Person> submitters;  ///< several: a group
  std::optional<Seconds> time{};
};
/// submission_metadata.yml: the few lines of it that matter, by folder name.
std::map<std::string, GradescopeEntry> parse_gradescope(const std::string& yml);

/// `pointwise.cu` also where a platform or a browser made it `pointwise-1.cu` or `pointwise (2).cu`, or
/// Canvas put `name_12_34_` in front; empty where it is none of `names`.
std::string declared_name(const std::string& file, const std::vector<std::string>& names);

}  // namespace roofline::grader
