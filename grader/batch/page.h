// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

/// What the pages about a class share.
namespace roofline::grader {

/// A page that needs nothing else; `body` is HTML.
std::string html_page(const std::string& title, const std::string& body);

/// How many of something, students by points if nothing else is said, fall into each tenth, as SVG.
std::string histogram(const std::vector<std::size_t>& tenths, const std::string& what = "students by points");

}  // namespace roofline::grader
