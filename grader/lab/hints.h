// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace roofline::grader {

/// One step of a lab's hints.md.
struct Hint {
  std::string title;  ///< the rest of the line after "## Hint N", may be empty
  std::string text;   ///< Markdown, without blank lines at its ends
};

/// Sections `## Hint 1`, `## Hint 2` ... in the order of the file; text before the first and other sections
/// of the same level are no hints.
std::vector<Hint> parse_hints(const std::string& markdown);

/// Those of one part of a lab: without the ones whose title names others ("part B, events", "parts A to H,
/// the question"). An empty letter is a lab without parts, and keeps all.
std::vector<Hint> hints_of_part(std::vector<Hint> hints, const std::string& letter);

/// The text for a terminal of `width` columns. One in which every line fits stays as it is; else paragraphs
/// and list items are filled anew; code, tables and headings never are.
std::string fitted(const std::string& markdown, int width);

}  // namespace roofline::grader
