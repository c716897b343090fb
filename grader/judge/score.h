// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/lab/spec.h"
#include "grader/result/result.h"

namespace roofline::grader {

/// Fills points, max_points, medal, verdict and reason of a result from its checks and measurements.
///
/// Points of a kind are shared by its checks; medal points by the lines that earn medals. A kind that the
/// part does not have gives its points to correctness. Correctness points are given by the share of cases; a
/// submission that was not implemented, or that did not compile, has none. Where the structure is refused no
/// medal is paid, and what is not passed has at most the points of the weakest pass. The verdict rests on
/// build, correctness, structure and performance; a prediction costs points, never the verdict.
void score(Result& result, const Part& part);

/// A result that failed keeps at most `share` of its points; lines give way, the last first.
void cap_when_not_passed(Result& result, double share);

}  // namespace roofline::grader
