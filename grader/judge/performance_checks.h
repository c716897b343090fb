// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/judge/stopwatch.h"

/// From times to medals: arithmetic only, no device.
namespace roofline::grader {

/// Achieved against the roof in the series. `work` is in the roof's base unit.
Measurement measurement(const TimedSeries& series, double work, const Roof& roof,
                        const Thresholds& thresholds);
/// The check that goes with a line: too slow, noisy, impossible, or why there is no time.
Check performance_check(const Measurement& line, const TimedSeries& series, bool simulated);

/// What an operation of a budget takes at least, in seconds, and the roof that says so.
struct BudgetTime {
  std::string what, roof;
  double seconds = 0;
};
/// The sum of these against the time in the series.
Measurement budget_measurement(const TimedSeries& series, const std::vector<BudgetTime>& budget,
                               const Thresholds& thresholds);
/// A line for each operation, and where its time comes from.
std::string budget_text(const std::vector<BudgetTime>& budget);

/// How much of the shorter of the two is hidden, from the times of either alone and of both together.
struct OverlapTimes {
  double kernels = 0, copies = 0, together = 0;  ///< seconds
  double efficiency() const;
};
Measurement overlap_measurement(const TimedSeries& series, const OverlapTimes& times,
                                const Thresholds& thresholds);
Check overlap_check(const Measurement& line, const TimedSeries& series, const OverlapTimes& times,
                    bool simulated);

/// Whether another draw of instances would hardly change the medal of a median. `fractions` are in order. How
/// many of them are below the median of all possible instances is binomial, with a standard deviation of
/// sqrt(n) / 2: three of these are left to either side.
bool median_is_settled(std::span<const double> fractions, const Thresholds& thresholds);

/// A sentence when these rates beat what the device's pins and FP32 lanes can do.
std::optional<std::string> impossible(double gbps, double tflops, const DeviceFacts& facts,
                                      std::span<const sim::FlopType> types = {});

/// A sentence when the device counted too few of the operations that a call declares.
std::optional<std::string> skipped_work(const sim::Region& region, const DeclaredFlops& declared,
                                        const Settings& settings);

/// Fills ridge, knee and roof fractions from the points and the roofs.
void finish_sweep(SweepResult& sweep);

struct SweepVerdict {
  Check check;
  std::optional<Measurement> line;
};
/// Lowest and highest end, knee, flatness.
std::vector<SweepVerdict> judge_sweep(const Sweep& sweep, const SweepResult& result,
                                      const DeviceFacts& facts);

}  // namespace roofline::grader
