// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

#include "grader/result/result.h"

namespace roofline::grader {

/// The way back from to_json: one result, or the list of several. What lab/result/v1 does not keep (titles of
/// measurements, kernels, limiters) stays empty; medals of measurements follow from their thresholds. Throws
/// std::runtime_error for a text that is not lab/result/v1.
std::vector<Result> results_from_json(std::string_view text);

}  // namespace roofline::grader
