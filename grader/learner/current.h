// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/lab/selection.h"
#include "grader/learner/progress_file.h"

namespace roofline::grader {

/// The first part that has not passed yet; the last one when all have. Throws InfrastructureError without
/// labs.
Chosen current_part(const std::vector<Lab>& labs, const ProgressFile& progress);

/// "not started", "passed: good", "tried 3 times: wrong-answer".
std::string state_of(const LabProgress& progress);

/// "lab 01" as `./lab` lists it: number, name, title after the colon.
std::string short_title(const Chosen& chosen);

}  // namespace roofline::grader
