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
/// A file of more than 64 KiB or 1000 lines, or with a line of more than 32 dots and brackets, is not read.
/// The checks call it by its name beside `source_path`, as results call the graded file.
std::vector<Check> grade_predictions(const std::vector<Prediction>& asked, const std::filesystem::path& file,
                                     const std::string& source_path = {});

/// The questions that the file leaves without an answer. None where it cannot be read: the grade says so.
std::vector<Prediction> unanswered(const std::vector<Prediction>& asked, const std::filesystem::path& file);

}  // namespace roofline::grader
