// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "grader/result/result.h"

namespace roofline::grader {

/// Value at quantile q in [0, 1], interpolated between neighbours; 0 for no values.
double quantile(std::vector<double> values, double q);
/// Median and quartiles of times in seconds, as microseconds.
TimeSummary summarise(const std::vector<double>& seconds);
/// By how much the second half's median differs from the first half's.
double drift(const std::vector<double>& values);
/// Interquartile range over the median.
double spread(const TimeSummary& summary);

inline constexpr double kMaxSpread = 0.02, kMaxClockDrift = 0.03;

}  // namespace roofline::grader
