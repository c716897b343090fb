// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/batch/class_run.h"

namespace roofline::grader {

/// What was found about these students is forgotten, so that their submissions are run again; whoever handed
/// in the same file is graded again with them. Returns their ids. Throws UsageError for somebody who handed
/// in nothing.
std::vector<std::string> forget_students(const std::vector<std::string>& who, const BatchFolder& folder,
                                         const std::vector<HandedIn>& attempts,
                                         const std::vector<Student>& roster, Journal& journal,
                                         Progressed& progressed);

/// The grade that is in the class's folder now: "70"; "none".
std::string grade_before(const BatchFolder& folder, const std::string& id);

}  // namespace roofline::grader
