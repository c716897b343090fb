// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/bench/bench.h"

#include <algorithm>

#include "grader/judge/device_facts.h"
#include "grader/judge/gpu_timing.h"
#include "grader/judge/grading.h"
#include "grader/lab/generate.h"
#include "grader/lab/submission_file.h"
#include "grader/result/statistics.h"

namespace roofline::grader {
namespace {

constexpr double kDeadline = 120;
constexpr int kGpuRounds = 5;

Rig rig_for(const Part& part, const Settings& settings, const std::filesystem::path& worker,
            const DeviceChoice& device, const GradeOptions& options, bool trace) {
  CallShape shape;
  shape.settings = settings;
  shape.guards = shape.fetch_inputs = !device.simulated;
  Room room;
  room.include(CallPlan(part.program, shape));
  RigOptions how = rig_options(device, options, kDeadline);
  how.machine.trace = trace;
  return Rig(how, worker, part.program, room.input, room.output);
}

/// Seconds of a call; virtual ones, with launches, on a simulated device.
double call_seconds(Rig& rig, const Part& part, const Settings& settings, const DeviceFacts& device,
                    std::uint64_t seed, BenchCurve& curve) {
  ExamineOptions examine_options;
  examine_options.host_to_device_limit = part.host_to_device_limit;
  if (device.simulated) {
    TimedCall timed = timed_call(rig, part.program, settings, seed, examine_options);
    curve.problem = timed.fault.message;
    const double seconds = timed.host_seconds;
    if (curve.timeline.spans.empty()) curve.timed = std::move(timed.region);
    return seconds;
  }
  GpuSeries series(rig, part.program, settings, device, seed);
  std::vector<std::pair<std::string, Detail>> detail;
  Fault fault = series.warm_up();
  for (int i = 0; i < kGpuRounds && !fault; ++i) fault = series.round();
  if (!fault) fault = series.check(examine_options, detail);
  curve.problem = fault.message;
  return fault ? 0 : summarise(series.seconds()).median_us * 1e-6;
}

}  // namespace

void bench_version(BenchCurve& curve, const Part& part, const std::filesystem::path& worker,
                   const DeviceChoice& device, const GradeOptions& options) try {
  const Bench& bench = *part.bench;
  const DeviceFacts facts = device_facts(device, options);
  const std::uint64_t master = entropy();
  for (std::size_t i = 0; i < bench.values.size(); ++i) {
    if (options.on_progress)
      options.on_progress({bench.argument, std::to_string(static_cast<long long>(bench.values[i])),
                           static_cast<double>(i) / static_cast<double>(bench.values.size())});
    Settings settings(bench.settings, facts);
    settings.set(bench.argument, bench.values[i]);
    const bool drawn = facts.simulated && bench.values[i] == bench.timeline_at;
    Rig rig = rig_for(part, settings, worker, device, options, drawn);
    const std::uint64_t seed = derive(master, Purpose::kCalls, i);
    const double seconds = call_seconds(rig, part, settings, facts, seed, curve);
    if (!curve.problem.empty()) return;
    curve.us.push_back(seconds * 1e6 / bench.work(settings));
    if (drawn) curve.timeline = rig.simulated().trace();
  }
} catch (const StartFault& fault) {
  curve.problem = fault.what();
}

std::vector<BenchCurve> bench_versions(Workbench& workbench, const Chosen& chosen, const Paths& paths) {
  const Bench& bench = *chosen.part->bench;
  std::vector<BenchCurve> curves;
  for (const Version& version : bench.versions) {
    const std::filesystem::path source =
        version.file.empty() ? chosen.file(paths) : chosen.solutions(paths) / version.file;
    workbench.progress().label(version.name);
    BenchCurve curve;
    curve.name = version.name;
    curve.yours = version.file.empty();
    std::error_code ignored;
    if (!std::filesystem::exists(source, ignored)) continue;  // a course repository comes without solutions
    if (const BuildResult built = workbench.build(chosen, submission_source(source, paths)); built.ok())
      bench_version(curve, *chosen.part, built.worker, workbench.device(), workbench.options(0));
    else
      curve.problem = built.sentence;
    curves.push_back(std::move(curve));
  }
  workbench.progress().clear();
  return curves;
}

Doubling first_costly_doubling(const Bench& bench, const BenchCurve& curve, double limit) {
  Doubling found{bench.values[std::max<std::size_t>(curve.us.size(), 1) - 1], 0};
  for (std::size_t i = 1; i < curve.us.size(); ++i) {
    const double growth = curve.us[i] / curve.us[i - 1] - 1;
    if (growth >= limit) return {bench.values[i - 1], growth};
  }
  return found;
}

}  // namespace roofline::grader
