// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/line_diff.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace roofline::grader {
namespace {

constexpr std::size_t kContext = 3;  ///< lines that stayed, around those that changed

std::vector<std::string> lines_without_ends(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// ' ', '-' or '+', and the line.
using Edit = std::pair<char, std::string>;

/// By the longest common subsequence.
std::vector<Edit> edits_of(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  const std::size_t n = before.size(), m = after.size();
  std::vector<std::vector<unsigned>> common(n + 1, std::vector<unsigned>(m + 1, 0));
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      common[i][j] =
          before[i] == after[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<Edit> edits;
  std::size_t i = 0, j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && before[i] == after[j]) {
      edits.emplace_back(' ', before[i]);
      ++i, ++j;
    } else if (i < n && (j == m || common[i + 1][j] >= common[i][j + 1])) {
      edits.emplace_back('-', before[i++]);
    } else {
      edits.emplace_back('+', after[j++]);
    }
  }
  return edits;
}

/// Where the piece around a change that begins at `at` ends: where more lines than its context stay.
std::size_t end_of_piece(const std::vector<Edit>& edits, std::size_t at) {
  std::size_t end = at, same = 0;
  for (std::size_t i = at; i < edits.size() && same <= 2 * kContext; ++i) {
    same = edits[i].first == ' ' ? same + 1 : 0;
    if (same == 0) end = i + 1;
  }
  return std::min(edits.size(), end + kContext);
}

std::string position(std::size_t line, std::size_t count) {  // of an empty range: the line before it
  return std::to_string(count == 0 ? line - 1 : line) + "," + std::to_string(count);
}

}  // namespace

std::string line_diff(const std::string& before, const std::string& after, const std::string& name) {
  const std::vector<Edit> edits = edits_of(lines_without_ends(before), lines_without_ends(after));
  std::string text;
  std::size_t from = 1, to = 1, at = 0;  // lines of both, from 1, at edits[at]
  while (at < edits.size()) {
    std::size_t change = at;
    while (change < edits.size() && edits[change].first == ' ') ++change;
    if (change == edits.size()) break;
    const std::size_t begin = std::max(at, change - std::min(change, kContext)),
                      end = end_of_piece(edits, change);
    from += begin - at, to += begin - at;
    std::size_t removed = 0, added = 0;
    std::string piece;
    for (at = begin; at < end; ++at) {
      removed += edits[at].first == '+' ? 0 : 1;
      added += edits[at].first == '-' ? 0 : 1;
      piece += edits[at].first + edits[at].second + "\n";
    }
    text += "@@ -" + position(from, removed) + " +" + position(to, added) + " @@\n" + piece;
    from += removed, to += added;
  }
  return text.empty() ? "" : "--- " + name + "\n+++ " + name + "\n" + text;
}

}  // namespace roofline::grader
