// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace roofline::grader {

/// What changed from one text to the other, as `diff -u` says it with the name of the file; empty: nothing.
/// For texts of a few thousand lines: time grows with the product of their lengths.
std::string line_diff(const std::string& before, const std::string& after, const std::string& name);

}  // namespace roofline::grader
