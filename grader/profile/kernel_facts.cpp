// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/kernel_facts.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace roofline::grader {
namespace {

using Json = nlohmann::ordered_json;

double as_double(sim::u64 count) { return static_cast<double>(count); }

/// Four significant digits: what is modelled has no more.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10, 3 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

double ratio(double part, double whole) { return whole > 0 ? rounded(part / whole) : 0; }

std::string extent(const sim::Dim3& d) {
  return std::to_string(d.x) + " x " + std::to_string(d.y) + " x " + std::to_string(d.z);
}

Json roofline(const sim::KernelRecord& kernel, const sim::DeviceDescription& device) {
  const auto& counters = kernel.counters;
  const double bytes = as_double(counters.dram_read_bytes + counters.dram_write_bytes);
  double flops = 0;
  for (const auto count : counters.flops) flops += as_double(count);
  const double seconds = kernel.seconds > 0 ? kernel.seconds : 1;
  const double fp32_peak = 64 * device.fma_rate * device.sms * device.clock_mhz * 1e6;
  return {{"FLOP", flops},
          {"DRAM bytes", bytes},
          {"FLOP per byte", ratio(flops, bytes)},
          {"TFLOP/s", rounded(flops / seconds * 1e-12)},
          {"DRAM GB/s", rounded(bytes / seconds * 1e-9)},
          {"share of FP32 peak", ratio(flops / seconds, fp32_peak)},
          {"share of DRAM pin rate", ratio(bytes / seconds, device.dram_gbps * 1e9)}};
}

Json memory(const sim::KernelCounters& c) {
  const auto requested = c.global_load_sectors + c.global_store_sectors + c.atomic_sectors;
  return {
      {"global requests", c.global_load_requests + c.global_store_requests + c.atomic_requests},
      {"sectors", requested},
      {"sectors over ideal", ratio(as_double(requested), as_double(c.ideal_sectors))},
      {"L1 hit rate", ratio(as_double(c.l1_hit_sectors), as_double(c.l1_hit_sectors + c.l1_miss_sectors))},
      {"L2 hit rate", ratio(as_double(c.l2_hit_sectors), as_double(c.l2_read_sectors))},
      {"local sectors", c.local_sectors},
      {"shared wavefronts", c.shared_wavefronts},
      {"shared wavefronts over ideal",
       ratio(as_double(c.shared_wavefronts), as_double(c.ideal_shared_wavefronts))}};
}

}  // namespace

Json kernel_facts(const sim::KernelRecord& kernel, const sim::DeviceDescription& device) {
  const auto& counters = kernel.counters;
  Json bounds = Json::object();
  for (const auto& [resource, seconds] : kernel.bounds) bounds[resource] = rounded(seconds * 1e6);
  Json facts = {{"symbol", kernel.name},
                {"grid", extent(kernel.grid)},
                {"block", extent(kernel.block)},
                {"registers", kernel.resources.registers},
                {"static shared bytes", kernel.resources.static_shared_bytes},
                {"dynamic shared bytes", kernel.resources.dynamic_shared_bytes},
                {"limited by", kernel.limiter},
                {"modelled us", rounded(kernel.seconds * 1e6)},
                {"us by resource", std::move(bounds)},
                {"occupancy", rounded(kernel.occupancy.fraction)},
                {"blocks an SM", kernel.occupancy.blocks_per_sm},
                {"occupancy limited by", kernel.occupancy.limiter}};
  if (kernel.resources.registers_estimated) facts["registers are"] = "estimated";
  Json stalls = Json::object();
  for (size_t i = 0; i < sim::kStallCount; ++i)
    if (const double seconds = kernel.stalls.of[i]; seconds > 0)
      stalls[name_of(static_cast<sim::Stall>(i))] = rounded(seconds * 1e6);
  if (!stalls.empty()) facts["us of a warp"] = std::move(stalls);
  facts["roofline"] = roofline(kernel, device);
  facts["memory"] = memory(counters);
  facts["warp instructions"] = counters.warp_instructions;
  facts["active lanes"] = ratio(as_double(counters.lane_instructions), as_double(counters.warp_instructions));
  facts["divergent branches"] = counters.divergent_branches;
  facts["barriers"] = counters.barriers;
  facts["atomic operations"] = counters.atomic_lanes;
  facts["tensor operations"] = counters.tensor_operations;
  if (kernel.graph_launch) facts["graph launch"] = kernel.graph_launch;
  return facts;
}

}  // namespace roofline::grader
