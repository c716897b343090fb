// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/kernel_table.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>

#include "grader/table.h"

namespace roofline::grader {
namespace {

using sim::Dim3;
using sim::KernelRecord;
using sim::Region;

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

/// Three significant digits and a unit: 1.23 MB, 45.6 us.
std::string with_unit(double value, const std::array<const char*, 5>& units, double step) {
  size_t unit = 0;
  while (unit + 1 < units.size() && value >= 999.5) {
    value /= step;
    unit++;
  }
  const char* pattern = value >= 99.95 ? "%.0f " : value >= 9.995 ? "%.1f " : "%.2f ";
  return format(value == 0 ? "%.0f " : pattern, value) + units[unit];
}
std::string bytes_text(double bytes) { return with_unit(bytes, {"B", "kB", "MB", "GB", "TB"}, 1000); }
std::string time_text(double seconds) {
  return with_unit(seconds * 1e9, {"ns", "us", "ms", "s", "ks"}, 1000);
}
std::string count_text(double n) { return with_unit(n, {"", "k", "M", "G", "T"}, 1000); }

constexpr const char* kLegend =
    "  n launches; all figures are means of one launch. simulated: modelled time, not a measurement.\n"
    "  sectors: 32-byte sectors moved, over those the data needs. occupancy: of the SM's warps, and what "
    "limits it.\n"
    "  lanes: active threads of a warp's 32. banks: shared-memory passes, over those without conflicts.\n";

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !text) return name;
  std::string readable = text.get();
  // Parameter types and the return type of templates are noise in a table.
  if (const auto parameters = readable.rfind('('); parameters != std::string::npos)
    readable.resize(parameters);
  if (readable.starts_with("void ")) readable.erase(0, 5);
  return printable(readable);
}

std::string shape(const Dim3& d) {
  std::string text = std::to_string(d.x);
  if (d.y > 1 || d.z > 1) text += "x" + std::to_string(d.y);
  if (d.z > 1) text += "x" + std::to_string(d.z);
  return text;
}

/// Launches of one kernel in one shape.
struct Group {
  const KernelRecord* first = nullptr;
  size_t launches = 0;
  std::map<std::string, double> limiters;  ///< seconds by limiting resource
  double seconds = 0, dram_bytes = 0, sectors = 0, ideal_sectors = 0, flops = 0, lanes = 0, warps = 0,
         wavefronts = 0, ideal_wavefronts = 0;
};

void add(Group& group, const KernelRecord& kernel) {
  const sim::KernelCounters& c = kernel.counters;
  group.launches++;
  group.seconds += kernel.seconds;
  group.limiters[kernel.limiter] += kernel.seconds;
  group.dram_bytes += static_cast<double>(c.dram_read_bytes + c.dram_write_bytes);
  group.sectors += static_cast<double>(c.global_load_sectors + c.global_store_sectors);
  group.ideal_sectors += static_cast<double>(c.ideal_sectors);
  group.flops += static_cast<double>(std::accumulate(c.flops.begin(), c.flops.end(), sim::u64{0}));
  group.lanes += static_cast<double>(c.lane_instructions);
  group.warps += static_cast<double>(c.warp_instructions);
  group.wavefronts += static_cast<double>(c.shared_wavefronts);
  group.ideal_wavefronts += static_cast<double>(c.ideal_shared_wavefronts);
}

std::vector<Group> grouped(const Region& region) {
  std::vector<Group> groups;
  const auto same = [](const Dim3& a, const Dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
  for (const KernelRecord& kernel : region.kernels) {
    Group* found = nullptr;
    for (Group& group : groups)
      if (group.first->name == kernel.name && same(group.first->grid, kernel.grid) &&
          same(group.first->block, kernel.block))
        found = &group;
    if (!found) {
      found = &groups.emplace_back();
      found->first = &kernel;
    }
    add(*found, kernel);
  }
  return groups;
}

std::string ratio(double actual, double ideal) { return ideal > 0 ? format("%.2f", actual / ideal) : "-"; }

std::string main_limiter(const Group& group) {
  const auto most = std::max_element(group.limiters.begin(), group.limiters.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first;
}

std::vector<std::string> row(const Group& g) {
  const KernelRecord& k = *g.first;
  const double n = static_cast<double>(g.launches);
  const std::string registers =
      std::to_string(k.resources.registers) + (k.resources.registers_estimated ? "*" : "");
  return {demangled(k.name),
          shape(k.grid) + " x " + shape(k.block),
          std::to_string(g.launches),
          time_text(g.seconds / n),
          main_limiter(g),
          bytes_text(g.dram_bytes / n),
          ratio(g.sectors, g.ideal_sectors),
          count_text(g.flops / n),
          format("%.0f %%", k.occupancy.fraction * 100) + " " + k.occupancy.limiter,
          registers,
          g.warps > 0 ? format("%.1f", g.lanes / g.warps) : "-",
          ratio(g.wavefronts, g.ideal_wavefronts)};
}

}  // namespace

std::string kernel_table(const Region& region, const Terminal& terminal) {
  using Align = Column::Align;
  Table table({{"kernel", Align::kLeft},
               {"grid x block", Align::kLeft},
               {"n", Align::kRight},
               {"simulated", Align::kRight},
               {"limited by", Align::kLeft},
               {"DRAM", Align::kRight},
               {"sectors", Align::kRight},
               {"FLOPs", Align::kRight},
               {"occupancy", Align::kLeft},
               {"regs", Align::kRight},
               {"lanes", Align::kRight},
               {"banks", Align::kRight}});
  bool estimated = false;
  for (const Group& group : grouped(region)) {
    table.add(row(group));
    estimated = estimated || group.first->resources.registers_estimated;
  }
  std::string text = region.kernels.empty() ? "  No kernel was launched.\n" : table.render(terminal);
  if (!region.kernels.empty()) text += kLegend;
  if (estimated) text += "  * registers are estimated: the program has no machine code for this GPU.\n";
  text += "  Copies: " + bytes_text(static_cast<double>(region.host_to_device_bytes)) + " to the device, " +
          bytes_text(static_cast<double>(region.device_to_host_bytes)) + " back, " +
          bytes_text(static_cast<double>(region.device_to_device_bytes)) +
          " within; fills: " + bytes_text(static_cast<double>(region.fill_bytes)) +
          "; the whole program's device time: " + time_text(region.virtual_seconds) + " simulated.\n";
  if (region.kernels_not_kept)
    text += "  " + std::to_string(region.kernels_not_kept) + " more launches are not in the table.\n";
  return text;
}

}  // namespace roofline::grader
