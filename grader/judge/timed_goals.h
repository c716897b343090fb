// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "grader/judge/grading.h"

namespace roofline::grader {

/// The part's goals, sweeps, overlaps and rules on structure, on the device of `grading` alone.
/// `structure`: what a simulated device decided already, for a GPU, which counts nothing.
void grade_timed_goals(Grading& grading, std::vector<Check> structure = {});

}  // namespace roofline::grader
