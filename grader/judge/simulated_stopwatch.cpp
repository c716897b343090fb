// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "grader/judge/call_profile.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/one_time.h"
#include "grader/judge/stopwatch.h"
#include "grader/result/statistics.h"

namespace roofline::grader {
namespace {

/// Instructions of a call, counted a lane, beyond which it is not repeated: some seconds of simulation. Not a
/// time: a result must not depend on what else the machine does.
constexpr double kPatience = 2e9;

double lane_instructions(const sim::Region& region) {
  double sum = 0;
  for (const KernelSummary& kernel : summarise_kernels(region)) sum += kernel.lane_instructions;
  return sum;
}

/// The host, the copy engines or the order of many kernels decide, not a kernel alone.
bool shows_timeline(const Part& part) {
  return part.prepares || part.program.gpus > 1 || !part.overlaps.empty() || part.program.device_memory ||
         std::ranges::any_of(part.goals, [](const Goal& goal) { return goal.clock != Clock::kDevice; });
}

class SimulatedStopwatch final : public Stopwatch {
 public:
  /// Room for every goal, so that one worker serves them all and keeps what it learnt.
  explicit SimulatedStopwatch(Grading& grading) : grading_(grading) {
    for (const auto* goals : {&grading.part.goals, &grading.part.shown})
      for (const Goal& goal : *goals) room_.include(plan_of(Settings(goal.settings, grading.facts)));
  }
  ~SimulatedStopwatch() override {
    if (rig_) keep_output();
  }
  SimulatedStopwatch(const SimulatedStopwatch&) = delete;
  SimulatedStopwatch& operator=(const SimulatedStopwatch&) = delete;

  TimedSeries time(const Settings& settings, Clock clock, const Roof& roof, unsigned calls, Caches caches,
                   const TellsEnough& tells_enough) override {
    TimedSeries series;
    series.roof = value_of(roof);
    std::vector<double> seconds;
    for (unsigned call = 0; call < calls; ++call) {
      TimedSeries* const first = call == 0 ? &series : nullptr;
      TimedCall timed = call_of(settings, caches, first);
      if (grading_.tries_again(timed.fault)) timed = call_of(settings, caches, first);
      if (const Fault spent = timed.fault ? grading_.budget->exhausted() : Fault{}) timed.fault = spent;
      // A kernel that the time limit stopped computes right answers at small sizes, or it would not be here.
      if (timed.fault.reason == Class::kTimeout && !grading_.budget->exhausted()) {
        timed.fault = {Class::kTooSlow,
                       "stopped: far from done after what should have sufficed. " + timed.fault.message,
                       timed.fault.file, timed.fault.line};
      }
      if (timed.fault) {
        series.fault = std::move(timed.fault);
        series.detail = std::move(timed.detail);
        return series;
      }
      if (grading_.part.prepares && series.one_time.empty())
        series.one_time = one_time_costs(rig_->simulated().trace());
      seconds.push_back(clock == Clock::kDevice ? timed.device_seconds : timed.host_seconds);
      const double work = lane_instructions(timed.region);
      (series.region ? series.last : series.region) = std::move(timed.region);
      series.time = summarise(seconds);
      // Slow in virtual time is slow to simulate, and no second call makes it faster.
      if (work > kPatience || (tells_enough && tells_enough(series))) break;
    }
    return series;
  }

  RoofValue value_of(const Roof& roof) override {
    auto known = roofs_.find(roof.id);
    if (known == roofs_.end()) {
      grading_.progress("roof " + roof.id, roof.title, -1);
      known = roofs_
                  .emplace(roof.id, measure_roof(roof, grading_.device, grading_.facts, grading_.options,
                                                 grading_.next_seed()))
                  .first;
    }
    return known->second;
  }

 private:
  /// `first`: takes what only the first call of a series shows.
  TimedCall call_of(const Settings& settings, Caches caches, TimedSeries* first) {
    TimedCall timed;
    try {
      Rig& rig = rig_for(settings);
      const auto before = first != nullptr ? rig.simulated().lines() : std::vector<sim::LineRecord>{};
      timed = timed_call(rig, grading_.part.program, settings, grading_.next_seed(),
                         grading_.examine_options(), caches);
      if (first != nullptr && !timed.fault) {
        first->lines = lines_since(before, rig.simulated().lines());
        first->timeline = timeline_of(rig.simulated().trace(), timed.region);
      }
    } catch (const StartFault& fault) {
      timed.fault = {Class::kCrashed, fault.what(), {}, 0};
    }
    return timed;
  }

  CallPlan plan_of(const Settings& settings) const {
    CallShape shape;
    shape.settings = settings;
    shape.guards = false;
    shape.fetch_inputs = false;
    return CallPlan(grading_.part.program, shape);
  }

  Rig& rig_for(const Settings& settings) {
    Room needed = room_;
    needed.include(plan_of(settings));
    if (!rig_ || !rig_->usable() || needed.input > room_.input || needed.output > room_.output) {
      if (rig_) keep_output();
      rig_.reset();
      room_ = needed;
      RigOptions how = grading_.rig_options(grading_.device, grading_.part.deadline_seconds);
      how.machine.trace = shows_timeline(grading_.part);
      rig_.emplace(how, grading_.submission.worker, grading_.part.program, room_.input, room_.output);
    }
    return *rig_;
  }

  void keep_output() {
    std::string& all = grading_.result.program_output;
    const std::string printed = rig_->end_program();
    if (all.size() < 64 * 1024) all += printed;
  }

  Grading& grading_;
  std::map<std::string, RoofValue> roofs_;
  std::optional<Rig> rig_;
  Room room_;
};

}  // namespace

std::unique_ptr<Stopwatch> simulated_stopwatch(Grading& grading) {
  return std::make_unique<SimulatedStopwatch>(grading);
}

}  // namespace roofline::grader
