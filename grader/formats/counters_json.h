// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/profile/finding.h"
#include "grader/profile/profile.h"

namespace roofline::grader {

/// What one process of a program did.
struct RunDocument {
  ProgramProfile program;
  int process = 0;      ///< its number, with `command` written where there are several
  std::string command;  ///< its name
  std::vector<Finding> findings;
};

/// What `lab run --json` writes: schema "lab/run/v1", see docs/counters.md. Of the processes, of which there
/// is one at least, the first is the document, and the others are in it.
std::string run_json(const std::vector<RunDocument>& processes, const std::string& program_path,
                     int exit_status);

}  // namespace roofline::grader
