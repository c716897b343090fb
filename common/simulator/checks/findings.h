// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <map>
#include <string>

#include "simulator/checks/finding.h"

namespace roofline::sim {

/// All findings of a program, in the order of their first occurrence. Two occurrences are the same bug when
/// check, rule, kernel and lines agree; without line information, when the instructions do.
class Findings {
 public:
  /// The one kept: the new one, or the first of its kind with its count raised. Valid for good.
  Finding& add(Finding finding);
  const std::deque<Finding>& all() const { return all_; }
  /// Bugs beyond the first kMost are counted, not kept.
  static constexpr size_t kMost = 1000;
  u64 not_kept() const { return not_kept_; }

 private:
  std::deque<Finding> all_;
  std::map<std::string, Finding*> by_key_;
  Finding spill_;
  u64 not_kept_ = 0;
};

}  // namespace roofline::sim
