// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "grader/handout/course.h"
#include "grader/lab/selection.h"

namespace roofline::grader {

/// The objects for a course repository of these labs.
std::vector<CourseFile> sealed_files(const std::vector<Chosen>& parts, const Paths& paths);

}  // namespace roofline::grader
