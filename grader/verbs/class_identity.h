// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/batch/class_run.h"
#include "grader/batch/class_setup.h"
#include "grader/batch/journal.h"
#include "grader/batch/task.h"
#include "grader/verbs/batch.h"

namespace roofline::grader {

/// What a class is graded with from the first command to the last.
struct ClassIdentity {
  std::uint64_t seed = 0;
  std::string device;
  std::vector<std::string> labs_sha256;  ///< of the parts, when the class was opened
};

/// The class that the folder holds must be the one of the request (else UsageError); a new one is written
/// into the journal.
ClassIdentity open_class(const Paths& paths, const BatchRequest& request, const BatchFolder& folder,
                         const ClassSetup& setup, Journal& journal, const Progressed& progressed);

}  // namespace roofline::grader
