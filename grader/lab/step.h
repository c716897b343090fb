// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace roofline::grader {

/// A small win inside a part, ten minutes from the one before: a state that is judged from what a grade
/// measures anyway. It earns no points. Every case must be right, and what is named here must hold.
struct Step {
  std::string id{}, title{};          ///< "grid", "blocks on every SM"
  std::string how{};                  ///< one sentence for whoever is not there yet
  std::string measurement{};          ///< id of a goal, an end of a sweep, an overlap; empty: none
  double at_least = 0;                ///< fraction of its roof
  std::vector<std::string> checks{};  ///< ids of checks that must pass
};

}  // namespace roofline::grader
