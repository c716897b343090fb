// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <vector>

namespace roofline::grader {

/// By its name: spec.cpp, or spec_*.cpp of a part.
bool is_spec(const std::filesystem::path& file);

/// The files in a lab's folder that say what the lab is, sorted: its specs, and the headers in the
/// folder that these include.
std::vector<std::filesystem::path> spec_files(const std::filesystem::path& folder);

}  // namespace roofline::grader
