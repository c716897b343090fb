// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "grader/base/symbol_name.h"

namespace roofline::grader {
namespace {

using sim::KernelCounters;
using sim::KernelRecord;
using sim::Region;
using sim::u64;

using sim::number;

/// Of all launches: everything but what single blocks and warps did.
void add(KernelCounters& to, const KernelCounters& from) {
  for (size_t i = 0; i < to.pipe_warps.size(); i++) to.pipe_warps[i] += from.pipe_warps[i];
  for (size_t i = 0; i < to.flops.size(); i++) to.flops[i] += from.flops[i];
  for (const auto sum : sim::kCountedSums) to.*sum += from.*sum;
  for (const auto sum : sim::kDerivedSums) to.*sum += from.*sum;
  for (const auto sum : sim::kTrafficSums) to.*sum += from.*sum;
  for (const auto most : sim::kMaxima) to.*most = std::max(to.*most, from.*most);
}

void add_launch(KernelProfile& kernel, const KernelRecord& launch) {
  kernel.launches++;
  kernel.seconds += launch.seconds;
  kernel.blocks += number(launch.grid.count());
  for (const auto& [resource, seconds] : launch.bounds) {
    auto known = std::find_if(kernel.bounds.begin(), kernel.bounds.end(),
                              [&, &name = resource](const auto& bound) { return bound.first == name; });
    if (known == kernel.bounds.end())
      kernel.bounds.emplace_back(resource, seconds);
    else
      known->second += seconds;
  }
  kernel.stalls.add(launch.stalls);
  add(kernel.counters, launch.counters);
  if (!kernel.longest || launch.seconds > kernel.longest->seconds) kernel.longest = &launch;
}

void note_caller(LineProfile& line, const sim::LineRecord& instruction) {
  if (instruction.caller_line == 0) return;
  const std::pair place(instruction.caller_file, unsigned{instruction.caller_line});
  if (std::find(line.callers.begin(), line.callers.end(), place) == line.callers.end())
    line.callers.push_back(place);
}

/// Lines in the order of files and numbers, the kernel's own file first.
void add_lines(KernelProfile& kernel, const std::vector<const sim::LineRecord*>& instructions) {
  kernel.has_lines = std::any_of(instructions.begin(), instructions.end(),
                                 [](const auto* instruction) { return instruction->line != 0; });
  std::map<std::tuple<std::string, unsigned, std::string>, size_t> places;
  for (const auto* instruction : instructions) {
    const unsigned line = kernel.has_lines ? instruction->line : instruction->ptx_line;
    const std::string& file = kernel.has_lines ? instruction->file : std::string();
    if (line == 0) continue;
    // Two functions of a file without -lineinfo can have equal lines only when they come from two modules.
    const auto [place, is_new] =
        places.try_emplace({file, line, kernel.has_lines ? "" : instruction->function}, kernel.lines.size());
    if (is_new) {
      LineProfile& fresh = kernel.lines.emplace_back();
      fresh.file = file;
      fresh.line = line;
      fresh.function = readable_symbol(instruction->function);
    }
    LineProfile& known = kernel.lines[place->second];
    known.instructions.push_back(instruction);
    known.sum.add(instruction->counters);
    known.stalls.add(instruction->stalls);
    note_caller(known, *instruction);
  }
  if (kernel.lines.empty()) return;
  const std::string first_file = kernel.lines.front().file;
  std::stable_sort(kernel.lines.begin(), kernel.lines.end(), [&](const auto& a, const auto& b) {
    return std::tuple(a.file != first_file, a.file, a.line) <
           std::tuple(b.file != first_file, b.file, b.line);
  });
}

/// Time with at least one kernel running.
double busy_seconds(const std::vector<KernelRecord>& launches) {
  std::vector<std::pair<double, double>> spans;
  for (const auto& launch : launches) spans.emplace_back(launch.start, launch.end);
  std::sort(spans.begin(), spans.end());
  double busy = 0, until = 0;
  for (const auto& [start, end] : spans) {
    busy += std::max(0.0, end - std::max(start, until));
    until = std::max(until, end);
  }
  return busy;
}

}  // namespace

double KernelProfile::bound(const std::string& resource) const {
  for (const auto& [name_of_bound, bound_seconds] : bounds)
    if (name_of_bound == resource) return bound_seconds;
  return 0;
}

/// A fourth-power norm over the bounds: near what the time model does, and smooth, so that advice about a
/// resource that is not the limit promises little.
double KernelProfile::share_with(const std::vector<std::pair<std::string, double>>& factors) const {
  double before = 0, after = 0;
  for (const auto& [resource, bound_seconds] : bounds) {
    double factor = 1;
    for (const auto& [changed, by] : factors)
      if (changed == resource) factor = by;
    before += std::pow(bound_seconds, 4);
    after += std::pow(bound_seconds * factor, 4);
  }
  return before > 0 ? std::pow(after / before, 0.25) : 1;
}

double KernelProfile::traffic() const {
  return number(counters.global_load_sectors + counters.global_store_sectors + counters.atomic_sectors +
                counters.local_sectors);
}

double KernelProfile::lanes() const {
  return counters.warp_instructions ? number(counters.lane_instructions) / number(counters.warp_instructions)
                                    : 0;
}

const LineProfile* KernelProfile::line_of(sim::Stall stall) const {
  const LineProfile* most = nullptr;
  for (const LineProfile& line : lines)
    if (line.stalls[stall] > (most == nullptr ? 0 : most->stalls[stall])) most = &line;
  return most;
}

const LineProfile* KernelProfile::head() const { return lines.empty() ? nullptr : &lines.front(); }

ProgramProfile profile_of(Region region, std::vector<sim::LineRecord> instructions,
                          const sim::DeviceDescription& device) {
  ProgramProfile program;
  program.region = std::move(region);
  program.instructions = std::move(instructions);
  program.device = device;
  std::map<std::string, size_t> places;
  for (const KernelRecord& launch : program.region.kernels) {
    const auto [place, is_new] = places.try_emplace(launch.name, program.kernels.size());
    if (is_new) {
      KernelProfile& fresh = program.kernels.emplace_back();
      fresh.symbol = launch.name;
      fresh.name = readable_symbol(launch.name);
    }
    add_launch(program.kernels[place->second], launch);
  }
  std::map<std::string, std::vector<const sim::LineRecord*>> by_kernel;
  for (const auto& instruction : program.instructions)
    if (!instruction.ptx.empty()) by_kernel[instruction.kernel].push_back(&instruction);
  for (KernelProfile& kernel : program.kernels) {
    std::stable_sort(kernel.bounds.begin(), kernel.bounds.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    add_lines(kernel, by_kernel[kernel.symbol]);
  }
  std::stable_sort(program.kernels.begin(), program.kernels.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  double executing = 0;
  for (const KernelProfile& kernel : program.kernels) executing += kernel.seconds;
  program.kernel_seconds = std::min(busy_seconds(program.region.kernels), executing);
  const double link = device.pinned_gbps * 1e9;
  if (link > 0)
    program.copy_seconds =
        number(program.region.host_to_device_bytes + program.region.device_to_host_bytes) / link;
  program.overhead_seconds =
      std::max(0.0, program.region.virtual_seconds - program.kernel_seconds - program.copy_seconds);
  return program;
}

std::vector<std::pair<sim::Stall, double>> by_time(const sim::StallTimes& stalls) {
  std::vector<std::pair<sim::Stall, double>> list;
  for (size_t i = 0; i < sim::kStallCount; ++i)
    if (stalls.of[i] > 0) list.emplace_back(static_cast<sim::Stall>(i), stalls.of[i]);
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return list;
}

BoundKind kind_of_bound(const std::string& resource) {
  for (const char* memory : {"DRAM", "L2", "link", "L1", "shared", "memory issue"})
    if (resource == memory) return BoundKind::kMemory;
  if (resource == "latency") return BoundKind::kLatency;
  if (resource == "atomics") return BoundKind::kAtomics;
  return BoundKind::kCompute;
}

std::string bound_text(const std::string& resource) {
  for (const char* no_computing : {"page faults", "block launch", "waits between blocks"})
    if (resource == no_computing) return resource;
  switch (kind_of_bound(resource)) {
    case BoundKind::kMemory:
      return "memory bandwidth: " + resource;
    case BoundKind::kLatency:
      return "latency: too little work in flight";
    case BoundKind::kAtomics:
      return "atomics";
    case BoundKind::kCompute:
      break;
  }
  return "compute: " + resource;
}

}  // namespace roofline::grader
