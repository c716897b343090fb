// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/lab/selection.h"
#include "grader/report/report.h"

namespace roofline::grader {

/// The parts with all attempts that were kept (grader/learner/attempts.h).
ReportData report_of_attempts(const Paths& paths, const std::vector<Chosen>& parts);

/// Results from a file, as attempts of the parts that they name, oldest first; for somebody else's page.
/// `source_of` finds the graded file of a result, or returns nothing. Results of parts that this course does
/// not have follow at the end.
ReportData report_of_results(const std::vector<Lab>& labs, std::vector<Result> results,
                             const std::string& heading,
                             const std::function<std::string(const Result&)>& source_of = {});

}  // namespace roofline::grader
