// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/result/deciding.h"

#include <utility>

namespace roofline::grader {

const Measurement* deciding(const Result& result) {
  const Measurement* found = nullptr;
  for (const Measurement& line : result.measurements) {
    if (!(line.roof.value > 0 && line.graded())) continue;
    const auto key = [](const Measurement& m) {
      return std::pair(m.medal, m.fraction / m.thresholds.highest());
    };
    if (found == nullptr || key(line) < key(*found)) found = &line;
  }
  return found;
}

}  // namespace roofline::grader
