// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/formats/format.h"

namespace roofline::grader {

/// How many of a class passed a check.
struct CheckTally {
  std::string part, id, title;
  std::size_t passed = 0, of = 0;
};

/// Every check, those that fewest passed first. It is counted over everybody who handed in the part: who did
/// not come so far, because the file does not compile or an earlier case stopped the grade, has not passed
/// it. Left out is who could not be graded through no fault of his, and where the device cannot decide the
/// check. What is a check of failures alone ("handed in") is passed where it is not there.
std::vector<CheckTally> hardest_checks(const std::vector<Graded>& all);

}  // namespace roofline::grader
