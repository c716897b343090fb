// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "simulator/bind/function_builder.h"
#include "simulator/bind/hidden.h"
#include "simulator/program/address_windows.h"
#include "simulator/ptx/load_error.h"

namespace roofline::sim {

namespace {

/// "%tid.x": 0, "%tid.y": 1, ...; other names: 0.
u8 component_of(const std::string& name) {
  const auto dot = name.find('.');
  if (dot == std::string::npos || dot + 1 >= name.size()) return 0;
  return static_cast<u8>(std::string_view("xyzw").find(name[dot + 1]));
}

bool fill_kind(const std::string& base, FilledRow& row, bool& by_launch) {
  using Kind = FilledRow::Kind;
  struct Known {
    const char* name;
    Kind kind;
    bool by_launch;
    u8 bytes;
  };
  static constexpr Known kKnown[] = {{"%tid", Kind::kTid, false, 4},
                                     {"%ctaid", Kind::kCtaid, false, 4},
                                     {"%clusterid", Kind::kClusterid, false, 4},
                                     {"%cluster_ctaid", Kind::kClusterCtaid, false, 4},
                                     {"%cluster_ctarank", Kind::kClusterRank, false, 4},
                                     {"%warpid", Kind::kWarpid, false, 4},
                                     {"%smid", Kind::kSmid, false, 4},
                                     {"%ntid", Kind::kNtid, true, 4},
                                     {"%nctaid", Kind::kNctaid, true, 4},
                                     {"%nclusterid", Kind::kNclusterid, true, 4},
                                     {"%cluster_nctaid", Kind::kClusterNctaid, true, 4},
                                     {"%cluster_nctarank", Kind::kClusterSize, true, 4},
                                     {"%is_explicit_cluster", Kind::kIsCluster, true, 4},
                                     {"%envreg1", Kind::kWorkspaceHigh, true, 4},
                                     {"%envreg2", Kind::kWorkspaceLow, true, 4},
                                     {"%nwarpid", Kind::kNwarpid, true, 4},
                                     {"%nsmid", Kind::kNsmid, true, 4},
                                     {"%gridid", Kind::kGridid, true, 8},
                                     {"%dynamic_smem_size", Kind::kDynamicShared, true, 4},
                                     {"%total_smem_size", Kind::kTotalShared, true, 4}};
  for (const Known& known : kKnown) {
    if (base != known.name) continue;
    row.kind = known.kind;
    row.bytes = known.bytes;
    by_launch = known.by_launch;
    return true;
  }
  return false;
}

/// Where the system's part of shared memory lies. A half of it is for each of the numbered registers;
/// cooperative groups keep up to 288 bytes from number 1 on.
bool reserved_shared(const std::string& name, u32& value) {
  constexpr std::string_view kPrefix = "%reserved_smem_offset_";
  if (!name.starts_with(kPrefix)) return false;
  const std::string_view which = std::string_view(name).substr(kPrefix.size());
  if (which == "begin" || which == "0")
    value = kReservedShared;
  else if (which == "1")
    value = kReservedShared + kReservedSharedBytes / 2;
  else if (which == "end")
    value = kReservedShared + kReservedSharedBytes;
  else if (which == "cap")
    value = kReservedSharedBytes;
  else
    return false;
  return true;
}

/// Registers whose value depends on the lane alone.
bool lane_value(const std::string& base, u32 lane, u32& value) {
  const u32 bit = 1u << lane;
  if (base == "%laneid")
    value = lane;
  else if (base == "%lanemask_eq")
    value = bit;
  else if (base == "%lanemask_lt")
    value = bit - 1;
  else if (base == "%lanemask_le")
    value = bit | (bit - 1);
  else if (base == "%lanemask_gt")
    value = ~(bit | (bit - 1));
  else if (base == "%lanemask_ge")
    value = ~(bit - 1);
  else
    return false;
  return true;
}

}  // namespace

Slot FunctionBuilder::entry_row(FilledRow row) {
  row.slot = new_row(row.bytes, false);
  rows_.rows.back().at_entry = true;
  result_.entry_rows.push_back(row);
  return row.slot;
}

Slot FunctionBuilder::launch_row(FilledRow row) {
  row.slot = constant_row(row.bytes);
  result_.launch_rows.push_back(row);
  return row.slot;
}

Slot FunctionBuilder::kernel_parameter(u32 offset, u32 bytes, u32 row_bytes, bool is_signed) {
  for (const FilledRow& row : result_.launch_rows)
    if (row.kind == FilledRow::Kind::kParameter && row.value == offset && row.source_bytes == bytes &&
        row.bytes == row_bytes && row.is_signed == is_signed)
      return row.slot;
  return launch_row({.kind = FilledRow::Kind::kParameter,
                     .bytes = static_cast<u8>(row_bytes),
                     .source_bytes = static_cast<u8>(bytes),
                     .is_signed = is_signed,
                     .slot = {},
                     .value = offset});
}

Slot FunctionBuilder::clock(const std::string& name, u32& bytes) {
  kernel_.uses_clock = true;
  const bool high = name.ends_with("_hi");
  const bool is_timer = name.starts_with("%globaltimer");
  bytes = name == "%clock64" || name == "%globaltimer" ? 8 : 4;
  const Slot slot = scratch(bytes);
  emit_hidden(bytes == 8 ? read_clock_64 : high ? read_clock_high : read_clock_32, slot, {});
  result_.code.back().immediate = static_cast<s64>(is_timer ? Clock::kNanoseconds : Clock::kCycles);
  return slot;
}

Slot FunctionBuilder::special(const std::string& name, u32& bytes, ptx::TextPosition at) {
  if (name.starts_with("%clock") || name.starts_with("%globaltimer")) return clock(name, bytes);
  const std::string base = name.substr(0, name.find('.'));
  const auto known = specials_.find(name);
  FilledRow row{.kind = FilledRow::Kind::kTid, .slot = {}};
  bool by_launch = false;
  u32 value = 0;
  bytes = 4;
  row.component = component_of(name);
  if (row.component == 3 ||
      name == "WARP_SZ") {  // the fourth component is always 0 (or 1 for sizes: never asked)
    return literal(name == "WARP_SZ" ? kWarpSize : 0, 4);
  }
  if (fill_kind(base, row, by_launch)) {
    bytes = row.bytes;
    if (known != specials_.end()) return known->second;
    return specials_[name] = by_launch ? launch_row(row) : entry_row(row);
  }
  if (lane_value(base, 0, value)) {
    if (known != specials_.end()) return known->second;
    const Slot slot = constant_row(4);
    for (u32 lane = 0; lane < kWarpSize; ++lane) {
      lane_value(base, lane, value);
      std::memcpy(constants_.data() + slot.offset() + lane * 4, &value, 4);
    }
    return specials_[name] = slot;
  }
  if (reserved_shared(name, value)) {
    kernel_.uses_reserved_shared = true;
    return literal(value, 4);
  }
  if (base.starts_with("%pm") || base.starts_with("%envreg")) {
    if (base.ends_with("_64")) bytes = 8;
    return literal(0, bytes);
  }
  load_error(at, "special register '" + name + "' is not simulated");
}

}  // namespace roofline::sim
