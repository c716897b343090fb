// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

/// What the pages about a class share.
namespace roofline::grader {

/// A page that needs nothing else; `body` is HTML.
std::string html_page(const std::string& title, const std::string& body);

/// How many students reached how much, in tenths of the points, as SVG.
std::string histogram(const std::vector<std::size_t>& tenths);

}  // namespace roofline::grader
