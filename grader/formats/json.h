// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/result.h"

namespace roofline::grader {

/// `lab/result/v1` as JSON text: one result as an object, several as {"results": [...]}. The schema is
/// result_v1.schema.json beside this file.
std::string to_json(const std::vector<Result>& results);

}  // namespace roofline::grader
