// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/device_facts.h"
#include "grader/judge/grading.h"
#include "grader/judge/performance_checks.h"

namespace roofline::grader {
namespace {

/// A call whose operations are counted.
struct CountedCall {
  Settings settings;
  const DeclaredFlops* flops = nullptr;
};

std::vector<CountedCall> counted_calls(const Part& part, const DeviceFacts& facts) {
  std::vector<CountedCall> calls;
  const auto add = [&](const Settings& settings, const DeclaredFlops& flops) {
    if (flops.counted()) calls.push_back({settings, &flops});
  };
  for (const Goal& goal : part.goals) add(Settings(goal.settings, facts), goal.flops);
  for (const Sweep& sweep : part.sweeps)
    for (const double value : sweep.values) {
      Settings settings(sweep.settings, facts);
      settings.set(sweep.argument, value);
      add(settings, sweep.flops);
    }
  return calls;
}

Room room_for(const Program& program, const Settings& settings) {
  CallShape shape;
  shape.settings = settings;
  shape.guards = false;
  shape.fetch_inputs = false;
  Room room;
  room.include(CallPlan(program, shape));
  return room;
}

}  // namespace

Fault counted_in_simulation(Grading& grading) {
  const Part& part = grading.part;
  const DeviceChoice simulated = simulated_stand_in(grading.facts, grading.options);
  for (const CountedCall& call : counted_calls(part, device_facts(simulated, grading.options))) {
    const Room room = room_for(part.program, call.settings);
    TimedCall timed;
    try {
      Rig rig(rig_options(simulated, grading.options, part.deadline_seconds), grading.submission.worker,
              part.program, room.input, room.output);
      timed = timed_call(rig, part.program, call.settings, grading.next_seed(), grading.examine_options());
    } catch (const StartFault& fault) {
      timed.fault = {Class::kCrashed, fault.what(), {}, 0};
    }
    if (timed.fault) return std::move(timed.fault);
    if (const auto why = skipped_work(timed.region, *call.flops, call.settings))
      return {Class::kImpossible, "on the simulated device: " + *why, {}, 0};
  }
  return {};
}

}  // namespace roofline::grader
