// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/records.h"

#include <algorithm>
#include <utility>

namespace roofline::sim::server {

void Records::begin_region(double now, u64 device_bytes, u64 host_bytes) {
  region_ = {};
  region_.device_bytes_peak = device_bytes;
  region_.host_visible_bytes = host_bytes;
  begin_ = now;
}

channel::WireRegion Records::end_region(double work_end) {
  region_.virtual_seconds = std::max(0.0, work_end - begin_);
  region_.gpus = {{region_.device_bytes_peak, std::exchange(sent_, 0), std::exchange(received_, 0)}};
  return std::exchange(region_, {});
}

void Records::kernel(KernelRecord record) {
  if (region_.kernels.size() < kMaxKernelRecords)
    region_.kernels.push_back({std::move(record)});
  else
    region_.kernels_not_kept++;
}

void Records::moved(const std::map<u64, Span>& kernels) {
  if (kernels.empty()) return;
  for (channel::WireKernel& each : region_.kernels)
    if (const auto found = kernels.find(each.record.ordinal); found != kernels.end()) {
      each.record.start = found->second.start;
      each.record.end = found->second.end;
    }
}

void Records::trap(const Trap& trap) {
  if (region_.traps.size() < kMaxMessages) region_.traps.push_back({trap});
}

void Records::copied(CopyKind kind, u64 bytes, u32 stream) {
  used(stream);
  switch (kind) {
    case CopyKind::kHostToDevice:
      region_.host_to_device_bytes += bytes;
      break;
    case CopyKind::kDeviceToHost:
      region_.device_to_host_bytes += bytes;
      break;
    case CopyKind::kDeviceToDevice:
      region_.device_to_device_bytes += bytes;
      break;
  }
}

void Records::device_bytes(u64 in_use) {
  region_.device_bytes_peak = std::max(region_.device_bytes_peak, in_use);
}

namespace {

constexpr ptx::Type kFloat{ptx::Type::Kind::kFloat, 32}, kDouble{ptx::Type::Kind::kFloat, 64};

LineRecord describe(const Device& device, FunctionId function, const std::string& kernel,
                    const InstructionInfo& info) {
  LineRecord line;
  line.kernel = kernel;
  line.function = device.function_name(function, info.function);
  line.ptx = info.text;
  line.ptx_line = info.at.line;
  line.line = info.source.line;
  if (line.line != 0) line.file = device.source_file(function, info.source.file);
  line.caller_line = info.source.caller_line;
  if (line.caller_line != 0) line.caller_file = device.source_file(function, info.source.caller_file);
  line.pipe = info.cost.pipe;
  line.issue = info.cost.issue;
  line.is_load = info.is_load;
  line.is_store = info.is_store;
  line.is_atomic = info.is_atomic;
  line.is_spill = info.is_spill;
  line.width = info.width;
  line.is_branch = info.traits.flow == Flow::kBranch;
  line.is_barrier = is_barrier(info.traits.gathers);
  line.widens =
      info.traits.typing == Typing::kConverted && info.traits.from == kFloat && info.traits.type == kDouble;
  line.arithmetic = info.traits.arithmetic;
  line.type = info.traits.type;
  return line;
}

}  // namespace

void Records::count(const Device& device, FunctionId function, const LaunchResult& result) {
  const auto& counts = result.counters.per_instruction;
  auto& lines = lines_[function];
  if (lines.size() < counts.size()) {
    const auto& instructions = device.instructions_of(function);
    for (size_t i = lines.size(); i < counts.size() && i < instructions.size(); i++) {
      lines.push_back({describe(device, function, result.kernel, instructions[i])});
    }
  }
  const auto& stalls = result.time.stalls_of;
  for (size_t i = 0; i < std::min(lines.size(), counts.size()); i++) {
    lines[i].line.counters.add(counts[i]);
    if (i < stalls.size()) lines[i].line.stalls.add(stalls[i]);
  }
}

std::vector<channel::WireLine> Records::lines() const {
  std::vector<channel::WireLine> all = retired_;
  for (const auto& [function, lines] : lines_) all.insert(all.end(), lines.begin(), lines.end());
  return all;
}

void Records::retire_functions() {
  retired_ = lines();
  lines_.clear();
}

}  // namespace roofline::sim::server
