// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "grader/profile/finding.h"
#include "grader/run/run.h"
#include "simulator/host/session.h"

namespace roofline::grader {

/// What a person or a tool asked to see of a run that has ended: the counters and the advice on stderr, the
/// path of one thread, the JSON and SARIF files. `found`: what the checks reported. Throws UsageError when a
/// file cannot be written.
void report_run(const RunOptions& options, const std::string& device, sim::Session& session,
                sim::Region region, int exit_status, std::vector<Finding> found = {});

}  // namespace roofline::grader
