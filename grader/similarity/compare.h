// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "grader/similarity/code_text.h"

/// Which programs of many have passages in common that the others do not have.
namespace roofline::grader {

/// A program and who handed it in. Numbers of people are the caller's.
struct Work {
  CodeText code;
  std::vector<std::size_t> people;  ///< several: all of them handed in these very bytes
  bool earlier = false;             ///< of another class: compared with this one's, not with its like
};

/// Two programs, neither of which belongs to anybody who has the other, too.
struct Likeness {
  std::size_t a = 0, b = 0;   ///< indices of works
  double of_a = 0, of_b = 0;  ///< parts of their own words that stand in passages of the other, 0 to 1
  double both = 0;            ///< the same of both together
  /// As `both`, but a word counts by the part of the other people who have no passage with it: 1 where these
  /// two are alone with it, 0 where everybody has it.
  double unusual = 0;
};

struct ClassComparison {
  /// The most similar programs of every two people, the most unusual first.
  std::vector<Likeness> pairs;
  std::size_t people = 0;  ///< who was compared
};
ClassComparison compare(const std::vector<Work>& works);

}  // namespace roofline::grader
