// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "grader/device.h"
#include "grader/gpu_timing.h"
#include "grader/statistics.h"
#include "grader/stopwatch.h"

namespace roofline::grader {
namespace {

constexpr unsigned kRounds = 10;
constexpr unsigned kTries = 3;

Room room_for(const Program& program, const Settings& settings) {
  CallShape shape;
  shape.settings = settings;
  Room room;
  room.include(CallPlan(program, shape));
  return room;
}

class GpuStopwatch final : public Stopwatch {
 public:
  explicit GpuStopwatch(Grading& grading) : grading_(grading) {}

  TimedSeries time(const Settings& settings, Clock, const Roof& roof, unsigned calls) override {
    const Settings roof_settings(roof.settings, grading_.facts);
    const Room roof_room = room_for(roof.program, roof_settings);
    const Room room = room_for(grading_.part.program, settings);
    const RigOptions options = rig_options(grading_.device, grading_.options, grading_.part.deadline_seconds);
    TimedSeries result;
    Rig roof_rig(options, grading_.options.roof_worker(roof), roof.program, roof_room.input,
                 roof_room.output);
    std::optional<Rig> rig;
    try {
      rig.emplace(options, grading_.submission.worker, grading_.part.program, room.input, room.output);
    } catch (const StartFault& fault) {
      result.fault = {Class::kCrashed, fault.what(), {}, 0};
      return result;
    }
    GpuSeries trusted(roof_rig, roof.program, roof_settings, grading_.next_seed());
    GpuSeries learner(*rig, grading_.part.program, settings, grading_.next_seed());
    for (unsigned attempt = 0; attempt < kTries; ++attempt) {
      if (!interleave(trusted, learner, std::max(calls, kRounds), roof, result)) return result;
      if (grading_.part.prepares) result.one_time = {{"prepare", rig->prepare_seconds() * 1e6}};
      result.time = summarise(learner.seconds());
      result.roof = roof_value(roof, grading_.facts, summarise(trusted.seconds()));
      result.noisy = spread(result.time) > kMaxSpread || spread(result.roof.time) > kMaxSpread ||
                     learner.clock_drift() > kMaxClockDrift;
      if (!result.noisy) break;
    }
    return result;
  }

  RoofValue value_of(const Roof& roof) override {
    return measure_roof(roof, grading_.device, grading_.facts, grading_.options, grading_.next_seed());
  }

 private:
  /// False when the learner's program failed.
  bool interleave(GpuSeries& trusted, GpuSeries& learner, unsigned rounds, const Roof& roof,
                  TimedSeries& result) {
    const auto ours = [&](const Fault& fault) {
      if (fault) throw InfrastructureFault("the roof's own program " + roof.id + " failed: " + fault.message);
    };
    ours(trusted.warm_up());
    result.fault = learner.warm_up();
    for (unsigned i = 0; i < rounds && !result.fault; ++i) {
      ours(trusted.round());
      result.fault = learner.round();
      if (result.fault) break;
      result.fault = learner.check(grading_.examine_options(), result.detail);
    }
    return !result.fault;
  }

  Grading& grading_;
};

}  // namespace

std::unique_ptr<Stopwatch> gpu_stopwatch(Grading& grading) { return std::make_unique<GpuStopwatch>(grading); }

}  // namespace roofline::grader
