// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/profile/kernel_table.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "grader/base/symbol_name.h"
#include "grader/base/units.h"
#include "grader/text/table.h"

namespace roofline::grader {
namespace {

using sim::Dim3;
using sim::KernelRecord;
using sim::Region;

constexpr const char* kShortLegend =
    "n launches; all figures are means of one launch. simulated: modelled time, not a measurement.";
constexpr const char* kLegend =
    "n launches; all figures are means of one launch. simulated: modelled time, not a measurement. sectors: "
    "32-byte sectors moved, over those the data needs. occupancy: of the SM's warps, and what limits it. "
    "lanes: "
    "active threads of a warp's 32. banks: shared-memory passes, over those without conflicts.";

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

std::string times_ideal(double actual, double ideal) {
  return ideal > 0 ? format_number("%.2f", actual / ideal) : "-";
}

std::string main_limiter(const Group& group) {
  const auto most = std::max_element(group.limiters.begin(), group.limiters.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most->first;
}

struct TableColumn {
  Column column;
  bool only_wide;  ///< not in terminals of less than 110 columns
  std::string (*cell)(const Group&, double launches);
};

constexpr auto kLeft = Column::Align::kLeft, kRight = Column::Align::kRight;

const std::vector<TableColumn>& table_columns() {
  static const std::vector<TableColumn> kColumns = {
      {{"kernel", kLeft}, false, [](const Group& g, double) { return readable_symbol(g.first->name); }},
      {{"grid x block", kLeft},
       false,
       [](const Group& g, double) { return shape(g.first->grid) + " x " + shape(g.first->block); }},
      {{"n", kRight}, false, [](const Group& g, double) { return std::to_string(g.launches); }},
      {{"simulated", kRight}, false, [](const Group& g, double n) { return time_text(g.seconds / n); }},
      {{"limited by", kLeft}, false, [](const Group& g, double) { return main_limiter(g); }},
      {{"DRAM", kRight}, false, [](const Group& g, double n) { return bytes_text(g.dram_bytes / n); }},
      {{"sectors", kRight},
       true,
       [](const Group& g, double) { return times_ideal(g.sectors, g.ideal_sectors); }},
      {{"FLOPs", kRight}, true, [](const Group& g, double n) { return count_text(g.flops / n); }},
      {{"occupancy", kLeft},
       false,
       [](const Group& g, double) {
         return percent_text(g.first->occupancy.fraction) + " " + g.first->occupancy.limiter;
       }},
      {{"regs", kRight},
       true,
       [](const Group& g, double) {
         const auto& r = g.first->resources;
         return std::to_string(r.registers) + (r.registers_estimated ? "*" : "");
       }},
      {{"lanes", kRight},
       true,
       [](const Group& g, double) { return g.warps > 0 ? format_number("%.1f", g.lanes / g.warps) : "-"; }},
      {{"banks", kRight},
       true,
       [](const Group& g, double) { return times_ideal(g.wavefronts, g.ideal_wavefronts); }},
  };
  return kColumns;
}

/// What page faults on managed memory moved; empty when there were none.
std::string migrations(const Region& region) {
  double faults = 0, in = 0, out = 0;
  for (const KernelRecord& kernel : region.kernels) {
    faults += static_cast<double>(kernel.page_faults);
    in += static_cast<double>(kernel.migrated_in_bytes);
    out += static_cast<double>(kernel.migrated_out_bytes);
  }
  if (faults == 0) return "";
  return "Managed memory: kernels faulted on " + count_text(faults) + " groups of 64 KiB; " + bytes_text(in) +
         " moved to the device, " + bytes_text(out) + " back to make room.";
}

std::string indented(const std::string& text, const Terminal& terminal) {
  std::string out;
  for (const std::string& line : wrap(text, terminal.width - 2)) out += "  " + line + "\n";
  return out;
}

}  // namespace

std::string kernel_table(const Region& region, const Terminal& terminal) {
  const bool wide = terminal.width >= 110;
  std::vector<Column> columns;
  for (const TableColumn& known : table_columns())
    if (wide || !known.only_wide) columns.push_back(known.column);
  Table table(columns);
  bool estimated = false;
  for (const Group& group : grouped(region)) {
    std::vector<std::string> cells;
    for (const TableColumn& known : table_columns())
      if (wide || !known.only_wide) cells.push_back(known.cell(group, static_cast<double>(group.launches)));
    table.add(std::move(cells));
    estimated = estimated || group.first->resources.registers_estimated;
  }
  std::string text = region.kernels.empty() ? "  No kernel was launched.\n" : table.render(terminal);
  if (!region.kernels.empty()) text += indented(wide ? kLegend : kShortLegend, terminal);
  if (estimated)
    text += indented("* registers are estimated: the program has no machine code for this GPU.", terminal);
  text +=
      indented("Copies: " + bytes_text(static_cast<double>(region.host_to_device_bytes)) +
                   " to the device, " + bytes_text(static_cast<double>(region.device_to_host_bytes)) +
                   " back, " + bytes_text(static_cast<double>(region.device_to_device_bytes)) +
                   " within; fills: " + bytes_text(static_cast<double>(region.fill_bytes)) +
                   "; the whole program's device time: " + time_text(region.virtual_seconds) + " simulated.",
               terminal);
  if (const std::string moved = migrations(region); !moved.empty()) text += indented(moved, terminal);
  if (region.kernels_not_kept)
    text +=
        indented(std::to_string(region.kernels_not_kept) + " more launches are not in the table.", terminal);
  return text;
}

}  // namespace roofline::grader
