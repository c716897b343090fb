// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/batch/course.h"
#include "grader/lab/selection.h"

namespace roofline::grader {

/// What a course file promises students, as a Markdown page: labs, due times and weights, points, late work,
/// attempts, the exam, rubrics. Extensions, which are private, and hidden cases are not in it.
std::string syllabus(const Course& course, const std::vector<Chosen>& parts);

}  // namespace roofline::grader
