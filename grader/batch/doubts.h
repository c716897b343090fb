// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/batch/intake.h"

namespace roofline::grader {

/// What looks as if the folder, the roster or the lab were another class's, each a sentence: more than half of the
/// roster is missing, somebody is not in it, most submissions hold no file of the lab. Empty: nothing does.
/// `attempts`: with their tasks.
std::vector<std::string> doubts_about(const std::vector<HandedIn>& attempts, const std::vector<Student>& roster);

}  // namespace roofline::grader
