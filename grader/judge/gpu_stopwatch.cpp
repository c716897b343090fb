// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "grader/judge/device_facts.h"
#include "grader/judge/gpu_timing.h"
#include "grader/judge/stopwatch.h"
#include "grader/result/statistics.h"

namespace roofline::grader {
namespace {

constexpr unsigned kRounds = 4;  ///< of at least five samples each
constexpr unsigned kTries = 3;
/// How far off the fraction is while clock or roof change.
constexpr double kNoTelling = std::numeric_limits<double>::infinity();
/// What a submission's bracket may hold beside its calls, given what the trusted program's does.
constexpr double kOutsideFactor = 1.5, kOutsideMore = 30e-6;

Room room_for(const Program& program, const Settings& settings) {
  CallShape shape;
  shape.settings = settings;
  Room room;
  room.include(CallPlan(program, shape));
  return room;
}

/// A worker that is kept from one setting to the next: a new one costs a process and a CUDA context.
class Kept {
 public:
  Rig& rig(const RigOptions& options, const std::filesystem::path& worker, const Program& program,
           const Room& needed) {
    if (!rig_ || !rig_->usable() || needed.input > room_.input || needed.output > room_.output) {
      rig_.reset();
      room_ = {std::max(room_.input, needed.input), std::max(room_.output, needed.output)};
      rig_.emplace(options, worker, program, room_.input, room_.output);
    }
    return *rig_;
  }

 private:
  std::optional<Rig> rig_;
  Room room_;
};

class GpuStopwatch final : public Stopwatch {
 public:
  explicit GpuStopwatch(Grading& grading) : grading_(grading) {}

  TimedSeries time(const Settings& settings, Clock, const Roof& roof, unsigned calls, Caches caches,
                   const TellsEnough& tells_enough) override {
    const Settings roof_settings(roof.settings, grading_.facts);
    const RigOptions options = rig_options(grading_.device, grading_.options, grading_.part.deadline_seconds);
    TimedSeries result;
    Rig& trusted_rig = trusted_[roof.id].rig(options, grading_.options.roof_worker(roof), roof.program,
                                             room_for(roof.program, roof_settings));
    Rig* rig = nullptr;
    try {
      rig = &learner_.rig(grading_.rig_options(grading_.device, grading_.part.deadline_seconds),
                          grading_.submission.worker, grading_.part.program,
                          room_for(grading_.part.program, settings));
    } catch (const StartFault& fault) {
      result.fault = {Class::kCrashed, fault.what(), {}, 0};
      return result;
    }
    GpuSeries trusted(trusted_rig, roof.program, roof_settings, grading_.facts, grading_.next_seed(),
                      roof.keeps_buffers ? Caches::kWarm : Caches::kCold);
    GpuSeries learner(*rig, grading_.part.program, settings, grading_.facts, grading_.next_seed(), caches);
    for (unsigned attempt = 0; attempt < kTries; ++attempt) {
      if (attempt == 0 && !warm_up(trusted, learner, roof, result)) return result;
      if (!interleave(trusted, learner, std::max(calls, kRounds), roof, result)) return result;
      if (grading_.part.prepares) result.one_time = {{"prepare", rig->gpu().prepare_seconds() * 1e6}};
      result.time = summarise(learner.seconds());
      result.roof = roof_value(roof, grading_.facts, summarise(trusted.seconds()));
      const double spreads[] = {spread(result.time), spread(result.roof.time)};
      const double drifts[] = {learner.clock_drift(), drift(trusted.seconds())};
      const bool drifts_apart = std::ranges::max(drifts) > kMaxClockDrift;
      result.doubt = 0;
      if (!drifts_apart && std::ranges::max(spreads) <= kMaxSpread) break;
      result.doubt = drifts_apart ? kNoTelling : doubt(result.time, result.roof.time);
      if (tells_enough && tells_enough(result)) break;
    }
    return result;
  }

  RoofValue value_of(const Roof& roof) override {
    return measure_roof(roof, grading_.device, grading_.facts, grading_.options, grading_.next_seed());
  }

 private:
  /// By what share the quotient of two medians may be off. With thirty samples a median lies between the
  /// quartiles 99 times of a hundred.
  static double doubt(const TimeSummary& time, const TimeSummary& roof) {
    const double slower = time.q3_us / time.median_us * roof.median_us / roof.q1_us;
    const double faster = time.median_us / time.q1_us * roof.q3_us / roof.median_us;
    return std::max(slower, faster) - 1;
  }

  static void trust(const Roof& roof, const Fault& fault) {
    if (fault) throw InfrastructureError("the roof's own program " + roof.id + " failed: " + fault.message);
  }

  /// False when the learner's program failed.
  bool warm_up(GpuSeries& trusted, GpuSeries& learner, const Roof& roof, TimedSeries& result) {
    // The first setting wakes the device up; the others find it warm.
    const double least = std::exchange(cold_, false) ? 0.4 : 0.05;
    trust(roof, trusted.warm_up(least));
    result.fault = learner.warm_up(least);
    return !result.fault;
  }

  /// Trusted, learner, trusted, learner ... trusted. False when the learner's program failed.
  bool interleave(GpuSeries& trusted, GpuSeries& learner, unsigned rounds, const Roof& roof,
                  TimedSeries& result) {
    trusted.forget();
    learner.forget();
    for (unsigned i = 0; i < rounds && !result.fault; ++i) {
      trust(roof, trusted.round());
      learner.doubt(kOutsideFactor * trusted.outside() + kOutsideMore);
      result.fault = learner.round();
      if (!result.fault) result.fault = learner.check(grading_.examine_options(), result.detail);
    }
    if (!result.fault) trust(roof, trusted.round());
    return !result.fault;
  }

  Grading& grading_;
  Kept learner_;
  std::map<std::string, Kept> trusted_;
  bool cold_ = true;
};

}  // namespace

std::unique_ptr<Stopwatch> gpu_stopwatch(Grading& grading) { return std::make_unique<GpuStopwatch>(grading); }

}  // namespace roofline::grader
