// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "grader/judge/grading.h"
#include "grader/judge/stopwatch.h"

/// Timing on a real GPU (docs/measuring.md). A round loads fresh inputs, and then takes 20 ms or more in
/// samples, how many nobody knows before. Around each sample runs the judge's own clock (the bracket): it
/// starts before the scalars are revealed and stops when the judge holds pieces of the outputs, from places
/// that it draws after the worker has said "done". What the round's last sample left is fetched and checked.
namespace roofline::grader {

/// One program at one setting; with cold caches, its calls go round copies of the arrays. Two take turns, so
/// that heat and clocks treat them alike.
class GpuSeries {
 public:
  GpuSeries(Rig& rig, const Program& program, const Settings& settings, const DeviceFacts& device,
            std::uint64_t master_seed, Caches caches = Caches::kCold);

  /// From now on the worker's events are believed only as far as the bracket confirms them: what it holds
  /// beyond `outside` seconds belongs to the calls.
  void doubt(double outside) { outside_ = outside; }

  /// Finds how many calls fill a sample, and runs for `least` seconds or more, until the clock has settled.
  Fault warm_up(double least = 0.4);
  /// Samples; of fresh inputs, where the program is doubted.
  Fault round();
  /// What the last sample left, against the pieces and against the reference.
  Fault check(const ExamineOptions& options, std::vector<std::pair<std::string, Detail>>& detail);

  /// Frees the device's memory until the next round.
  Fault release();

  /// Of a call, one a sample.
  const std::vector<double>& seconds() const { return seconds_; }
  /// What a bracket held beside the calls, as the events of this program tell: the median.
  double outside() const;
  /// Between a fast and a slow SM clock (the outer tenths left aside); 0 where it was not read.
  double clock_drift() const;
  void forget();

 private:
  struct Sample {
    double bracket = 0, events = 0;  ///< seconds of all its calls
  };
  Fault load();
  Fault close_gate();
  Fault take(Sample& sample);
  double seconds_of(const Sample& sample) const;
  void draw_places();
  const ArrayPlan& place_of(unsigned piece) const;
  bool untouched(unsigned piece) const;
  unsigned copies() const;

  GpuRig rig_;
  const Program& program_;
  Settings settings_;
  const DeviceFacts& device_;
  std::uint64_t master_, draws_ = 0;
  Caches caches_;
  std::optional<double> outside_;
  unsigned calls_ = 1, most_calls_ = 1;  ///< a sample
  bool gate_ = false, loaded_ = false;
  std::optional<CallPlan> plan_;
  unsigned sets_ = 1, called_ = 0, looked_at_ = 0;  ///< copies, calls since load, the copy with the pieces
  std::array<worker::PieceRecord, worker::kPieces> places_{};
  worker::Pieces pieces_{};
  std::vector<double> seconds_, outsides_, clocks_;
};

/// A roof's own program, warmed up. Throws InfrastructureError where it fails.
class RoofOnGpu {
 public:
  RoofOnGpu(const Roof& roof, const DeviceChoice& device, const DeviceFacts& facts,
            const GradeOptions& options, std::uint64_t seed);
  /// A round, checked; the device's memory is free afterwards.
  void round();
  /// From all rounds.
  RoofValue value() const;

 private:
  void trust(const Fault& fault) const;

  const Roof& roof_;
  const DeviceFacts& facts_;
  std::unique_ptr<Rig> rig_;  // the series keeps a reference
  GpuSeries series_;
};

RoofValue measure_roof_on_gpu(const Roof& roof, const DeviceChoice& device, const DeviceFacts& facts,
                              const GradeOptions& options, std::uint64_t seed);
/// A roof's value from its time.
RoofValue roof_value(const Roof& roof, const DeviceFacts& facts, const TimeSummary& time);

}  // namespace roofline::grader
