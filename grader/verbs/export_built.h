// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <vector>

#include "grader/base/paths.h"
#include "grader/handout/course.h"
#include "grader/lab/selection.h"

namespace roofline::grader {

/// The folder `built` of a course repository of `parts`, of which `course` is all: programs for other
/// machines (handout/portable.h), and a cache of what a first grade would compile and simulate beside a
/// student's file. Below `built` in their names; written to no place yet.
std::vector<CourseFile> built_files(const Paths& paths, const std::vector<CourseFile>& course,
                                    const std::vector<Chosen>& parts);

}  // namespace roofline::grader
