// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "grader/base/symbol_name.h"
#include "grader/judge/grading.h"

namespace roofline::grader {

TimedCall timed_call(Rig& rig, const Program& program, const Settings& settings, std::uint64_t seed,
                     const ExamineOptions& options, Caches caches) {
  CallShape shape;
  shape.settings = settings;
  shape.seed = seed;
  shape.guards = false;
  shape.fetch_inputs = false;
  shape.warm = caches == Caches::kWarm;
  const CallPlan plan(program, shape);
  TimedCall timed;
  const auto begin = std::chrono::steady_clock::now();
  CallOutcome outcome = rig.call(plan);
  timed.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  Examination examination = examine(plan, outcome, rig.input(), options);
  timed.fault = std::move(examination.fault);
  timed.detail = std::move(examination.detail);
  if (outcome.go) {
    timed.region = std::move(*outcome.go);
    timed.device_seconds = device_seconds(timed.region);
    timed.host_seconds = timed.region.virtual_seconds;
  }
  return timed;
}

double device_seconds(const sim::Region& region) {
  const bool other_work = region.host_to_device_bytes + region.device_to_host_bytes +
                              region.device_to_device_bytes + region.fill_bytes >
                          0;
  return region.kernels.empty() || other_work ? region.virtual_seconds : kernel_seconds(region);
}

double kernel_seconds(const sim::Region& region) {
  if (region.kernels.empty()) return 0;
  double start = region.kernels[0].start, end = region.kernels[0].end;
  for (const auto& kernel : region.kernels) {
    start = std::min(start, kernel.start);
    end = std::max(end, kernel.end);
  }
  return end - start;
}

void Room::include(const CallPlan& plan) {
  input = std::max(input, plan.input_bytes());
  output = std::max(output, plan.output_bytes());
}

bool Room::fits(const CallPlan& plan) const {
  return plan.input_bytes() <= input && plan.output_bytes() <= output;
}

std::string limiter_of(const sim::Region& region) {
  const auto longest = std::ranges::max_element(region.kernels, {}, &sim::KernelRecord::seconds);
  return longest == region.kernels.end() ? "" : longest->limiter;
}

std::vector<KernelSummary> summarise_kernels(const sim::Region& region) {
  std::vector<KernelSummary> kernels;
  for (const auto& record : region.kernels) {
    KernelSummary kernel;
    kernel.name = readable_symbol(record.name);
    kernel.limiter = record.limiter;
    kernel.seconds = record.seconds;
    kernel.dram_bytes =
        static_cast<double>(record.counters.dram_read_bytes + record.counters.dram_write_bytes);
    for (const auto flops : record.counters.flops) kernel.flops += static_cast<double>(flops);
    kernel.occupancy = record.occupancy.fraction;
    kernel.sectors =
        static_cast<double>(record.counters.global_load_sectors + record.counters.global_store_sectors);
    kernel.ideal_sectors = static_cast<double>(record.counters.ideal_sectors);
    kernel.lane_instructions = static_cast<double>(record.counters.lane_instructions);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace roofline::grader
