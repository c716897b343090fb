// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/formats/counters_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

namespace roofline::grader {
namespace {

using Json = nlohmann::ordered_json;
using sim::InstructionCounters;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json stride_json(const InstructionCounters& c) {
  if (c.stride_low > c.stride_high) return nullptr;
  return {{"low", c.stride_low}, {"high", c.stride_high}};
}

Json counters_json(const InstructionCounters& c) {
  return {{"warps", c.warps},
          {"lanes", c.lanes},
          {"requests", c.requests},
          {"sectors", c.sectors},
          {"ideal_sectors", c.ideal_sectors},
          {"l1_hit_sectors", c.l1_hit_sectors},
          {"l2_read_sectors", c.l2_read_sectors},
          {"l2_hit_sectors", c.l2_hit_sectors},
          {"wavefronts", c.wavefronts},
          {"ideal_wavefronts", c.ideal_wavefronts},
          {"local_requests", c.local_requests},
          {"local_sectors", c.local_sectors},
          {"divergent_branches", c.divergent},
          {"atomic_turns", c.atomic_turns},
          {"irregular_requests", c.irregular},
          {"stride_bytes", stride_json(c)}};
}

/// What the average warp does with simulated time, most first.
Json stalls_json(const sim::StallTimes& stalls) {
  Json list = Json::array();
  for (const auto& [reason, seconds] : by_time(stalls))
    list.push_back({{"reason", name_of(reason)}, {"simulated_seconds", number(seconds)}});
  return list;
}

Json line_json(const LineProfile& line) {
  Json json =
      line.file.empty() ? Json{{"ptx_line", line.line}} : Json{{"file", line.file}, {"line", line.line}};
  json["function"] = line.function;
  json["inlined_at"] = Json::array();
  for (const auto& [file, caller] : line.callers)
    json["inlined_at"].push_back({{"file", file}, {"line", caller}});
  json["counters"] = counters_json(line.sum);
  json["stalls"] = stalls_json(line.stalls);
  json["instructions"] = Json::array();
  for (const auto* instruction : line.instructions)
    if (instruction->counters.warps != 0)
      json["instructions"].push_back({{"ptx", instruction->ptx},
                                      {"ptx_line", instruction->ptx_line},
                                      {"warps", instruction->counters.warps},
                                      {"lanes", instruction->counters.lanes}});
  return json;
}

Json totals_json(const sim::KernelCounters& c) {
  return {{"warp_instructions", c.warp_instructions},
          {"lane_instructions", c.lane_instructions},
          {"global_load_requests", c.global_load_requests},
          {"global_store_requests", c.global_store_requests},
          {"atomic_requests", c.atomic_requests},
          {"global_load_bytes", c.global_load_bytes},
          {"global_store_bytes", c.global_store_bytes},
          {"global_load_sectors", c.global_load_sectors},
          {"global_store_sectors", c.global_store_sectors},
          {"atomic_sectors", c.atomic_sectors},
          {"ideal_sectors", c.ideal_sectors},
          {"l1_hit_sectors", c.l1_hit_sectors},
          {"l2_read_sectors", c.l2_read_sectors},
          {"l2_hit_sectors", c.l2_hit_sectors},
          {"dram_read_bytes", c.dram_read_bytes},
          {"dram_write_bytes", c.dram_write_bytes},
          {"local_requests", c.local_requests},
          {"local_sectors", c.local_sectors},
          {"shared_requests", c.shared_requests},
          {"shared_wavefronts", c.shared_wavefronts},
          {"ideal_shared_wavefronts", c.ideal_shared_wavefronts},
          {"atomic_lanes", c.atomic_lanes},
          {"atomic_same_address_max", c.atomic_same_address_max},
          {"barriers", c.barriers},
          {"branches", c.branches},
          {"divergent_branches", c.divergent_branches},
          {"busiest_warp_instructions", c.busiest_warp_instructions},
          {"even_warp_instructions", c.even_warp_instructions}};
}

Json shape_json(const sim::Dim3& d) { return Json::array({d.x, d.y, d.z}); }

Json kernel_json(const KernelProfile& kernel) {
  const sim::KernelRecord& longest = *kernel.longest;
  Json bounds = Json::array();
  for (const auto& [resource, seconds] : kernel.bounds)
    bounds.push_back({{"resource", resource}, {"simulated_seconds", number(seconds)}});
  Json json = {{"name", kernel.name},
               {"symbol", kernel.symbol},
               {"launches", kernel.launches},
               {"simulated_seconds", number(kernel.seconds)},
               {"limiter", kernel.bounds.empty() ? "" : kernel.bounds.front().first},
               {"bounds", bounds},
               {"stalls", stalls_json(kernel.stalls)},
               {"longest_launch",
                {{"grid", shape_json(longest.grid)},
                 {"block", shape_json(longest.block)},
                 {"simulated_seconds", number(longest.seconds)},
                 {"registers", longest.resources.registers},
                 {"registers_estimated", longest.resources.registers_estimated},
                 {"static_shared_bytes", longest.resources.static_shared_bytes},
                 {"dynamic_shared_bytes", longest.resources.dynamic_shared_bytes},
                 {"spill_bytes", longest.resources.spill_bytes},
                 {"occupancy", number(longest.occupancy.fraction)},
                 {"occupancy_limiter", longest.occupancy.limiter},
                 {"page_faults", longest.page_faults},
                 {"migrated_in_bytes", longest.migrated_in_bytes},
                 {"migrated_out_bytes", longest.migrated_out_bytes}}},
               {"counters", totals_json(kernel.counters)},
               {"has_source_lines", kernel.has_lines},
               {"lines", Json::array()}};
  for (const LineProfile& line : kernel.lines)
    if (line.sum.warps != 0) json["lines"].push_back(line_json(line));
  return json;
}

Json finding_json(const Finding& finding) {
  Json json = {{"check", finding.check},
               {"rule", finding.rule},
               {"level", level_name(finding.level)},
               {"title", finding.title},
               {"message", finding.message},
               {"kernel", finding.kernel},
               {"file", finding.file},
               {"line", finding.line},
               {"where", finding.where},
               {"block", finding.block},
               {"thread", finding.thread},
               {"related", Json::array()},
               {"simulated_seconds_saved", number(finding.gain_seconds)}};
  for (const auto& related : finding.related)
    json["related"].push_back({{"message", related.message}, {"file", related.file}, {"line", related.line}});
  return json;
}

/// What of a document is one process's.
void add_process(Json& json, const RunDocument& process) {
  const ProgramProfile& program = process.program;
  const sim::Region& region = program.region;
  json["simulated_seconds"] = number(region.virtual_seconds);
  json["simulated_kernel_seconds"] = number(program.kernel_seconds);
  json["launches"] = region.kernels.size() + region.kernels_not_kept;
  json["host_to_device_bytes"] = region.host_to_device_bytes;
  json["device_to_host_bytes"] = region.device_to_host_bytes;
  json["device_to_device_bytes"] = region.device_to_device_bytes;
  json["fill_bytes"] = region.fill_bytes;
  json["device_bytes_peak"] = region.device_bytes_peak;
  json["kernels"] = Json::array();
  json["findings"] = Json::array();
  for (const KernelProfile& kernel : program.kernels) json["kernels"].push_back(kernel_json(kernel));
  for (const Finding& finding : process.findings) json["findings"].push_back(finding_json(finding));
}

Json process_json(const RunDocument& process) {
  return {{"id", process.process}, {"command", process.command}};
}

}  // namespace

std::string run_json(const std::vector<RunDocument>& processes, const std::string& program_path,
                     int exit_status) {
  const RunDocument& first = processes.front();
  const sim::DeviceDescription& device = first.program.device;
  Json json = {{"schema", "lab/run/v1"},
               {"program", program_path},
               {"exit_status", exit_status},
               {"device", {{"kind", "simulated"}, {"id", device.id}, {"name", device.name}}}};
  add_process(json, first);
  // The number of a process differs from run to run: it is left out where nobody needs it.
  if (processes.size() > 1) {
    json["process"] = process_json(first);
    for (const RunDocument& process : std::span(processes).subspan(1)) {
      Json& other = json["other_processes"].emplace_back(Json{{"process", process_json(process)}});
      add_process(other, process);
    }
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace roofline::grader
