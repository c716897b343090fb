// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "grader/similarity/code_text.h"

namespace roofline::grader {

/// `length` own words from own[a] of one program and from own[b] of the other are of the same kinds.
struct Passage {
  std::size_t a, b, length;
};

/// Which passage of one stands where in the other, for a reader: the longest first, no word in two of them.
std::vector<Passage> common_passages(const CodeText& a, const CodeText& b);

/// What a token of a program is to a reader who has another one beside it.
struct Region {
  static constexpr int kNone = 0, kGiven = -1, kAgain = -2;
  /// From 1: the passage of that number. kAgain: is in a passage of the other that is shown elsewhere.
  std::vector<int> of_token;
};
struct SideBySide {
  Region a, b;
  std::vector<Passage> passages;  ///< in the order in which they stand in the first program
};
SideBySide side_by_side(const CodeText& a, const CodeText& b);

}  // namespace roofline::grader
