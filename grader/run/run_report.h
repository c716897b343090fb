// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/run/processes.h"
#include "grader/run/run.h"

namespace roofline::grader {

/// What a person or a tool asked to see of a run that has ended: the counters and the advice on stderr, the
/// path of one thread, the JSON and SARIF files. Moves the counters out of `runs`, of which there is one at
/// least. Throws UsageError when a file cannot be written.
void report_run(const RunOptions& options, const std::string& device, std::vector<ProcessRun>& runs,
                int exit_status);

}  // namespace roofline::grader
