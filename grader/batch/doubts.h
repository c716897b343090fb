// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "grader/batch/intake.h"

namespace roofline::grader {

/// What looks as if the folder, the roster or the lab were another class's, each a sentence: more than half
/// of the roster is missing, somebody is not in it, most submissions hold no file of the lab. Empty: nothing
/// does. `attempts`: with their tasks.
std::vector<std::string> doubts_about(const std::vector<HandedIn>& attempts,
                                      const std::vector<Student>& roster);

/// What a class had before and this command does not name, each a sentence: grades change without it.
std::vector<std::string> dropped_files(const std::string& roster_before, const std::string& roster,
                                       const std::string& course_before, const std::string& course);

/// Parts whose points do not make 100, each a sentence; `points`: by part.
std::vector<std::string> unusual_points(const std::map<std::string, double>& points);

}  // namespace roofline::grader
