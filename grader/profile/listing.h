// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/profile/finding.h"
#include "grader/profile/profile.h"
#include "grader/text/terminal.h"

namespace roofline::grader {

/// What stands above everything: where the simulated time of the program went.
std::string headline(const ProgramProfile& program, const Terminal& terminal);

/// Each kernel's source with what every line cost beside it. Fits terminal.width.
std::string listing(const ProgramProfile& program, const Terminal& terminal);

/// Findings as numbered paragraphs: advice, or what checks found. `program`: for gains as a share.
std::string findings_text(const std::vector<Finding>& findings, const ProgramProfile& program,
                          const Terminal& terminal);

}  // namespace roofline::grader
