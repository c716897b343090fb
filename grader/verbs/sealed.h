// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "grader/build/sealed.h"
#include "grader/handout/course.h"
#include "grader/lab/selection.h"

/// Where a lab's sealed programs are: as sources among the solutions, or as objects in a course repository.
namespace roofline::grader {

bool has_sealed(const Chosen& part, const Paths& paths);

std::vector<SealedProgram> sealed_of(const Chosen& part, const Paths& paths);

/// The objects for a course repository of these labs.
std::vector<CourseFile> sealed_files(const std::vector<Chosen>& parts, const Paths& paths);

}  // namespace roofline::grader
