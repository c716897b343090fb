// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/profile/finding.h"
#include "grader/text/terminal.h"
#include "simulator/checks/finding.h"

namespace roofline::grader {

/// The set of checks in "memory,init,race,sync" or "all"; throws UsageError that names the wrong word.
unsigned parse_checks(const std::string& text);

/// What the checks found, for a person: each bug with its lines, the source text where it can be read, and
/// what to do; then one line that counts them.
std::string check_report(const std::vector<sim::Finding>& findings, const Terminal& terminal);

/// The same for the JSON and SARIF files: the first place is where it is, the others belong to it.
std::vector<Finding> as_findings(const std::vector<sim::Finding>& findings);

/// Findings that make the program wrong: all but notes.
size_t count_errors(const std::vector<sim::Finding>& findings);

}  // namespace roofline::grader
