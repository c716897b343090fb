// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace roofline::grader {

/// Makes labs/NN-name and solutions/NN-name from the templates in grader/handout/new_lab: a small lab that
/// builds and whose skeleton fails, with a TODO where the author's work begins. Returns the files, relative
/// to `root`. Throws UsageError for a name of another form, a number that a lab has, or a checkout without
/// the templates; then nothing is written.
std::vector<std::filesystem::path> make_lab(const std::filesystem::path& root, const std::string& folder);

}  // namespace roofline::grader
