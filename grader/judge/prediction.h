// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <vector>

#include "grader/lab/spec.h"
#include "grader/result/result.h"

namespace roofline::grader {

/// Grades prediction.toml by arithmetic: one check a key. An absent or empty answer is `skipped`
/// (not-answered), a file that is no TOML fails every check with the parser's message and line.
std::vector<Check> grade_predictions(const std::vector<Prediction>& asked, const std::filesystem::path& file);

}  // namespace roofline::grader
