// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/file.h"
#include "grader/judge/device_facts.h"
#include "grader/judge/gpu_timing.h"
#include "grader/judge/grading.h"
#include "grader/judge/remembered.h"
#include "grader/lab/generate.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {
namespace {

namespace fs = std::filesystem;

/// Everything that a simulated roof's value depends on, wherever that lies.
std::string cache_name(const Roof& roof, const DeviceFacts& facts, const GradeOptions& options,
                       const fs::path& worker) {
  std::string key = roof.id + "\n" + facts.id + "\n" + facts.model + "\n" + identity_of(worker);
  for (const auto& [name, value] : roof.settings) key += name + "=" + std::to_string(value.at(facts)) + "\n";
  key += simulator_identity(options.simulator_directory);
  return sim::plain_device(facts.id) + "-" + roof.id + "-" + sha256_hex(key).substr(0, 16);
}

double simulated_seconds(const Roof& roof, const DeviceChoice& device, const DeviceFacts& facts,
                         const GradeOptions& options, const fs::path& worker, std::uint64_t seed) {
  const Settings settings(roof.settings, facts);
  CallShape shape;
  shape.settings = settings;
  shape.guards = false;
  shape.fetch_inputs = false;
  Room room;
  room.include(CallPlan(roof.program, shape));
  RigOptions how = rig_options(device, options, 300);
  how.sampling_seed = 0;  // the roof of every grade
  Rig rig(how, worker, roof.program, room.input, room.output);
  const TimedCall timed = timed_call(rig, roof.program, settings, seed, {});
  if (timed.fault)
    throw InfrastructureError("the roof's own program " + roof.id + " failed: " + timed.fault.message);
  return timed.device_seconds;
}

}  // namespace

RoofValue roof_value(const Roof& roof, const DeviceFacts& facts, const TimeSummary& time) {
  const Settings settings(roof.settings, facts);
  RoofValue value;
  value.id = roof.id;
  value.title = roof.title;
  value.unit = roof.unit;
  value.time = time;
  value.value = time.median_us > 0 ? roof.work(settings) / (time.median_us * 1e-6) / roof.unit_scale : 0;
  value.data_sheet = roof.data_sheet ? roof.data_sheet(facts) : 0;
  return value;
}

RoofValue measure_roof(const Roof& roof, const DeviceChoice& device, const DeviceFacts& facts,
                       const GradeOptions& options, std::uint64_t seed) try {
  if (!options.roof_worker) throw InfrastructureError("no roof worker was given");
  const fs::path worker = options.roof_worker(roof);
  if (!facts.simulated) return measure_roof_on_gpu(roof, device, facts, options, seed);
  const bool cached = !options.roof_cache.empty();
  const std::string name = cached ? cache_name(roof, facts, options, worker) : "";
  double seconds = cached ? remembered_seconds(options.roof_cache / name) : 0;
  if (cached && !(seconds > 0)) seconds = remembered_seconds(options.roofs_that_came / name);
  if (!(seconds > 0)) {
    seconds = simulated_seconds(roof, device, facts, options, worker, seed);
    if (cached) remember_seconds(options.roof_cache / name, seconds);
  }
  return roof_value(roof, facts, {seconds * 1e6, seconds * 1e6, seconds * 1e6, 1});
} catch (const InfrastructureError&) {
  throw;
} catch (const std::exception& error) {
  throw InfrastructureError("roof " + roof.id + ": " + error.what());
}

void run_sentinel(const DeviceChoice& device, const DeviceFacts& facts, const GradeOptions& options,
                  std::uint64_t seed) {
  if (!options.roof_worker)
    throw InfrastructureError("no roof worker was given: nothing vouches for the device");
  const Roof& copy = roof("copy");
  try {
    Settings settings(copy.settings, facts);
    settings.set("n", 100'003);
    CallShape shape;
    shape.settings = std::move(settings);
    shape.seed = seed;
    shape.guards = !facts.simulated;
    const CallPlan plan(copy.program, shape);
    Rig rig(rig_options(device, options, 30), options.roof_worker(copy), copy.program, plan.input_bytes(),
            plan.output_bytes());
    const CallOutcome outcome = rig.call(plan);
    const Examination examination = examine(plan, outcome, rig.input(), {});
    if (examination.fault) throw InfrastructureError(examination.fault.message);
  } catch (const std::exception& error) {
    throw InfrastructureError(std::string("the trusted copy program failed on this device: ") + error.what());
  }
}

}  // namespace roofline::grader
