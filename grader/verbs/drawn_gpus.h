// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "grader/base/paths.h"
#include "grader/lab/drawn.h"

namespace roofline::grader {

/// The GPUs that exams and quizzes ask about: those whose data sheets people know.
std::vector<DrawnGpu> drawn_gpus(const Paths& paths);

}  // namespace roofline::grader
