// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/profile/finding.h"
#include "grader/profile/profile.h"

namespace roofline::grader {

/// What `lab run --json` writes: schema "lab/run/v1", see docs/counters.md.
std::string run_json(const ProgramProfile& program, const std::string& program_path, int exit_status,
                     const std::vector<Finding>& findings);

}  // namespace roofline::grader
