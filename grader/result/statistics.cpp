// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/result/statistics.h"

#include <algorithm>
#include <cmath>

namespace roofline::grader {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  const double share = position - std::floor(position);
  return values[below] + share * (values[above] - values[below]);
}

TimeSummary summarise(const std::vector<double>& seconds) {
  return {quantile(seconds, 0.5) * 1e6, quantile(seconds, 0.25) * 1e6, quantile(seconds, 0.75) * 1e6,
          static_cast<unsigned>(seconds.size())};
}

double drift(const std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  if (middle == values.begin()) return 0;
  return std::abs(quantile({middle, values.end()}, 0.5) / quantile({values.begin(), middle}, 0.5) - 1);
}

double spread(const TimeSummary& summary) {
  return summary.median_us > 0 ? (summary.q3_us - summary.q1_us) / summary.median_us : 0;
}

}  // namespace roofline::grader
