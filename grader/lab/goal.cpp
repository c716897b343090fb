// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/goal.h"

namespace roofline::grader {

Thresholds thresholds_for(const ThresholdTable& table, int capability) {
  Thresholds result;
  int best = -1;
  for (const auto& [from, thresholds] : table) {
    if (from > capability || from < best) continue;
    best = from;
    result = thresholds;
  }
  return result;
}

}  // namespace roofline::grader
