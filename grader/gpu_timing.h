// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "grader/grading.h"

/// Timing on a real GPU (docs/measuring.md): samples of at least 200 us by events inside a Go of at least 10
/// ms, fresh scalars in each Go, the judge's own clock around it.
namespace roofline::grader {

/// Two programs take turns, so that heat and clocks treat them alike.
class GpuSeries {
 public:
  GpuSeries(Rig& rig, const Program& program, const Settings& settings, std::uint64_t master_seed);

  /// Finds how many calls fill a sample, and runs until the clock has settled.
  Fault warm_up();
  /// One Go: adds one time (the median of its samples).
  Fault round();
  /// The output of the last round, checked.
  Fault check(const ExamineOptions& options, std::vector<std::pair<std::string, Detail>>& detail);

  const std::vector<double>& seconds() const { return seconds_; }
  void forget() {
    seconds_.clear();
    clocks_.clear();
  }
  /// Largest over smallest SM clock seen, minus 1; 0 where it was not read.
  double clock_drift() const;

 private:
  Fault load();
  Fault go(unsigned samples, double& seconds);

  Rig& rig_;
  const Program& program_;
  Settings settings_;
  std::uint64_t master_;
  std::uint64_t rounds_ = 0;
  unsigned calls_ = 1;
  bool gate_ = false;
  std::optional<CallPlan> plan_;
  std::vector<double> seconds_, clocks_;
};

RoofValue measure_roof_on_gpu(const Roof& roof, const DeviceChoice& device, const DeviceFacts& facts,
                              const GradeOptions& options, const std::filesystem::path& worker,
                              std::uint64_t seed);
/// A roof's value from its time.
RoofValue roof_value(const Roof& roof, const DeviceFacts& facts, const TimeSummary& time);

}  // namespace roofline::grader
