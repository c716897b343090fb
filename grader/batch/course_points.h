// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "grader/lab/spec.h"

namespace roofline::grader {

/// The field that course.toml calls `name` ("correctness", "pass"); null: there is none.
double* points_field(Points& points, std::string_view name);

}  // namespace roofline::grader
