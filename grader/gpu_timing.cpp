// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/gpu_timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "grader/device.h"
#include "grader/generate.h"
#include "grader/statistics.h"

namespace roofline::grader {
namespace {

constexpr double kSampleSeconds = 400e-6;  ///< at least 200 us, with room for a clock that still rises
constexpr double kGoSeconds = 10e-3;
constexpr double kMaxCalls = 400;     ///< a stream's queue holds about a thousand launches
constexpr double kGateBelow = 50e-6;  ///< shorter calls are queued behind a closed gate

}  // namespace

GpuSeries::GpuSeries(Rig& rig, const Program& program, const Settings& settings, std::uint64_t master_seed)
    : rig_(rig), program_(program), settings_(settings), master_(master_seed) {}

Fault GpuSeries::load() {
  CallShape shape;
  shape.settings = settings_;
  shape.seed = derive(master_, Purpose::kCalls, ++rounds_);
  plan_.emplace(program_, std::move(shape));
  return rig_.load(*plan_);
}

Fault GpuSeries::go(unsigned samples, double& seconds) {
  worker::Reply reply{};
  const auto begin = std::chrono::steady_clock::now();
  const Fault fault = rig_.go(*plan_, samples, calls_, gate_, reply);
  const double bracket = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (fault) return fault;
  std::vector<double> times;
  double sum = 0;
  for (std::uint32_t i = 0; i < std::min(reply.samples, worker::kMaxSamples); ++i) {
    const auto sample = static_cast<double>(reply.sample_us[i]) * 1e-6;
    times.push_back(sample / calls_);
    sum += sample;
  }
  if (times.empty() || !std::isfinite(sum)) return {Class::kCrashed, "the program reported no times", {}, 0};
  for (const double clock : reply.clock_mhz) {
    if (std::isfinite(clock) && clock > 0) clocks_.push_back(clock);
  }
  seconds = quantile(times, 0.5);
  // The judge's clock is the one that counts: events may leave out a little submission time, never half of
  // it.
  const double outside = bracket - sum;
  if (sum < 0.5 * bracket && outside > 5e-3) seconds = bracket / static_cast<double>(times.size()) / calls_;
  return {};
}

Fault GpuSeries::warm_up() {
  if (Fault fault = load()) return fault;
  double seconds = 0;
  calls_ = 1;
  gate_ = false;
  for (int i = 0; i < 2; ++i) {
    if (Fault fault = go(3, seconds)) return fault;
  }
  gate_ = seconds < kGateBelow;
  if (gate_) {
    // A function that waits for the device itself waits behind the gate until that gives up: time it without.
    double gated = 0;
    if (Fault fault = go(1, gated)) return fault;
    gate_ = gated < 4 * seconds;
  }
  calls_ =
      static_cast<unsigned>(std::clamp(std::ceil(kSampleSeconds / std::max(seconds, 1e-7)), 1.0, kMaxCalls));
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  double before = 0;
  do {
    before = seconds;
    if (Fault fault = go(8, seconds)) return fault;
  } while (passed() < 0.4 || (std::abs(seconds / before - 1) > 0.02 && passed() < 3));
  forget();
  return {};
}

Fault GpuSeries::round() {
  if (Fault fault = load()) return fault;
  // Between one and two times what is needed: how often it will be called is nobody's to know.
  const double needed = kGoSeconds / kSampleSeconds;
  const double extra = static_cast<double>(entropy() % 1000) / 1000;
  const auto samples = static_cast<unsigned>(std::clamp(needed * (1 + extra), 4.0, 60.0));
  double seconds = 0;
  if (Fault fault = go(samples, seconds)) return fault;
  seconds_.push_back(seconds);
  return {};
}

Fault GpuSeries::check(const ExamineOptions& options, std::vector<std::pair<std::string, Detail>>& detail) {
  CallOutcome outcome;
  outcome.fault = rig_.fetch(*plan_, outcome.output);
  Examination examination = examine(*plan_, outcome, rig_.input(), options);
  detail = std::move(examination.detail);
  return std::move(examination.fault);
}

double GpuSeries::clock_drift() const {
  if (clocks_.empty()) return 0;
  return std::ranges::max(clocks_) / std::ranges::min(clocks_) - 1;
}

RoofValue measure_roof_on_gpu(const Roof& roof, const DeviceChoice& device, const DeviceFacts& facts,
                              const GradeOptions& options, const std::filesystem::path& worker,
                              std::uint64_t seed) {
  const Settings settings(roof.settings, facts);
  CallShape shape;
  shape.settings = settings;
  Room room;
  room.include(CallPlan(roof.program, shape));
  Rig rig(rig_options(device, options, 60), worker, roof.program, room.input, room.output);
  GpuSeries series(rig, roof.program, settings, seed);
  Fault fault = series.warm_up();
  for (int i = 0; i < 10 && !fault; ++i) fault = series.round();
  std::vector<std::pair<std::string, Detail>> detail;
  if (!fault) fault = series.check({}, detail);
  if (fault) throw InfrastructureFault("the roof's own program " + roof.id + " failed: " + fault.message);
  return roof_value(roof, facts, summarise(series.seconds()));
}

}  // namespace roofline::grader
