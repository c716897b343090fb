// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/batch/batch.h"

/// What a person decided about a grade: a file overrides.toml in the class's folder, applied whenever points
/// are given.
namespace roofline::grader {

struct Override {
  std::string student;             ///< as the roster calls them, or the id
  std::string part;                ///< empty: the whole grade
  std::optional<double> points{};  ///< of a part before the late policy; of the whole, the grade itself
  std::string comment;             ///< for the student
  bool release = false;            ///< what was held for a person is final
  std::string by, when;            ///< who decided, and the day
};

/// Throws UsageError that names the line.
std::vector<Override> parse_overrides(const std::string& text, const std::string& name);
/// None where there is no such file.
std::vector<Override> read_overrides(const std::filesystem::path& file);

/// The id of whom it decides about. Throws UsageError for one that names nobody who handed something in.
std::string decided_about(const Override& one, const std::vector<std::string>& ids,
                          const std::vector<Student>& roster);

/// Throws UsageError as decided_about does.
void apply_overrides(ClassOutcome& outcome, const std::vector<Override>& overrides,
                     const std::vector<Student>& roster);

/// The id in HandedIn of somebody who handed something in; empty: nobody, or several.
std::string handed_in_by(const std::string& name, const std::vector<std::string>& ids,
                         const std::vector<Student>& roster);

}  // namespace roofline::grader
