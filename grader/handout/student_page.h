// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <functional>
#include <string>

namespace roofline::grader {

/// A Markdown page for students: paragraphs, items of lists and rows about what they do not have are left
/// out, links to pages that they lack become plain text. `<!-- instructors: -->` to `<!-- :instructors -->`
/// is cut out, and
/// `<!-- students: TEXT -->` becomes TEXT. `page` is the page's name, `kept` says which files are there.
std::string page_for_students(const std::string& text, const std::filesystem::path& page,
                              const std::function<bool(const std::filesystem::path&)>& kept);

}  // namespace roofline::grader
