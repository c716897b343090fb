// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/judge/workbench.h"
#include "grader/lab/selection.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {

/// The files of a part that the request means: of a submitted folder, a file of its own, the solution or the
/// learner's. Throws UsageError for a file that is not there; in a submitted folder it may be missing.
Submission submission_for(const Chosen& chosen, const GradeRequest& request, const Paths& paths);

}  // namespace roofline::grader
