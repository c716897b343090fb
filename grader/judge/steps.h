// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "grader/lab/spec.h"
#include "grader/result/result.h"

namespace roofline::grader {

/// The steps of a part, none reached yet.
std::vector<StepResult> steps_asked(const Part& part);

/// Which of them a graded file has: decided from the checks and measurements of its result.
std::vector<StepResult> steps_of(const Part& part, const Result& result);

}  // namespace roofline::grader
