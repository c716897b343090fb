// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/frame.h"

#include <algorithm>
#include <cstring>

#include "simulator/machine/cluster.h"
#include "simulator/timing/device_description.h"

namespace roofline::sim {

namespace {

using Kind = FilledRow::Kind;

void broadcast(u8* row, u64 value, u32 bytes) {
  if (bytes == 8) {
    std::fill_n(reinterpret_cast<u64*>(row), kWarpSize, value);
    return;
  }
  for (u32 lane = 0; lane < kWarpSize; ++lane) std::memcpy(row + lane * bytes, &value, bytes);
}

void broadcast(u8* row, u32 value) { std::fill_n(reinterpret_cast<u32*>(row), kWarpSize, value); }

void fill_tid(u32* row, u32 first_thread, Dim3 block, u8 component) {
  if (block.y == 1 && block.z == 1) {
    for (u32 lane = 0; lane < kWarpSize; ++lane) row[lane] = component == 0 ? first_thread + lane : 0;
    return;
  }
  u32 x = first_thread % block.x, y = first_thread / block.x % block.y, z = first_thread / block.x / block.y;
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    row[lane] = component == 0 ? x : component == 1 ? y : z;
    if (++x < block.x) continue;
    x = 0;
    if (++y < block.y) continue;
    y = 0;
    ++z;
  }
}

u32 component(Dim3 extent, u8 which) { return which == 0 ? extent.x : which == 1 ? extent.y : extent.z; }

/// Bytes of one lane's local memory in the given frame.
u8* local_bytes(const Warp& w, u64 frame_base, u32 offset, u32 lane) {
  return w.block->local + (w.index * u64{kWarpSize} + lane) * w.block->local_bytes + frame_base + offset;
}

template <class F>
void each_lane_of(u32 mask, F f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<u32>(__builtin_ctz(mask)));
}

/// Moves one argument or result between frames of the lanes in `mask`.
struct End {
  const Warp* warp;
  const Frame* frame;
  bool in_register;
  u32 offset;
  Slot slot;
  u8* at(u32 lane, u32 bytes) const {
    if (!in_register) return local_bytes(*warp, frame->local_base, offset, lane);
    u8* base = slot.bank() == 0 ? frame->rows.get() : frame->function->constants.get();
    return base + slot.offset() + lane * bytes;
  }
};

/// Where a block stands among the clusters, or in its own.
u32 cluster_value(const FilledRow& row, const Block& block) {
  const Dim3 shape = block.grid->cluster, id = block.id;
  if (row.kind == Kind::kClusterRank) return block.cluster_rank;
  if (row.kind == Kind::kClusterid)
    return component({id.x / shape.x, id.y / shape.y, id.z / shape.z}, row.component);
  return component({id.x % shape.x, id.y % shape.y, id.z % shape.z}, row.component);
}

void move_piece(const End& to, const End& from, u32 bytes, u32 mask) {
  if (to.in_register && to.slot.bits == 0) return;  // nobody reads it
  each_lane_of(mask, [&](u32 lane) { std::memcpy(to.at(lane, bytes), from.at(lane, bytes), bytes); });
}

}  // namespace

void open_frame(Frame& frame, const Function& function) {
  frame.function = &function;
  if (frame.capacity < function.frame_bytes) {
    frame.rows = make_aligned(function.frame_bytes);
    frame.capacity = function.frame_bytes;
    std::memset(frame.rows.get(), 0, frame.capacity);
  }
  for (const UnwrittenRow& row : function.unwritten)
    std::memset(frame.rows.get() + row.slot.offset(), row.is_predicate ? 0 : kUnwrittenByte, row.bytes);
}

void fill_entry_rows(Warp& w, const Frame& frame) {
  const Block& block = *w.block;
  for (const FilledRow& row : frame.function->entry_rows) {
    u8* at = frame.rows.get() + row.slot.offset();
    switch (row.kind) {
      case Kind::kTid:
        fill_tid(reinterpret_cast<u32*>(at), w.index * kWarpSize, block.grid->block, row.component);
        break;
      case Kind::kCtaid:
        broadcast(at, component(block.id, row.component));
        break;
      case Kind::kWarpid:
        broadcast(at, w.index);
        break;
      case Kind::kSmid:
        broadcast(at, static_cast<u32>(block.linear_id % block.grid->device->sms));
        break;
      case Kind::kClusterid:
      case Kind::kClusterCtaid:
      case Kind::kClusterRank:
        broadcast(at, cluster_value(row, block));
        break;
      case Kind::kLocalAddress:
        broadcast(at, frame.local_base + row.value, row.bytes);
        break;
      default:
        break;
    }
  }
}

void open_local(const Warp& w, u32 lanes, u64 address, u64 bytes) {
  each_lane_of(lanes,
               [&](u32 lane) { std::memset(local_bytes(w, address, 0, lane), kUnwrittenByte, bytes); });
}

void pass_arguments(Warp& w, const Frame& callee) {
  const auto& arguments = callee.site->arguments;
  const auto& parameters = callee.function->parameters;
  open_local(w, callee.lanes, callee.local_base, callee.function->local_bytes);
  for (size_t i = 0; i < std::min(arguments.size(), parameters.size()); ++i)
    move_piece({&w, &callee, parameters[i].in_register, parameters[i].offset, parameters[i].slot},
               {&w, callee.caller, arguments[i].in_register, arguments[i].offset, arguments[i].slot},
               std::min(arguments[i].bytes, parameters[i].bytes), callee.lanes);
}

void return_results(Warp& w, const Frame& callee, u32 lanes) {
  const auto& to = callee.site->results;
  const auto& from = callee.function->results;
  for (size_t i = 0; i < std::min(to.size(), from.size()); ++i)
    move_piece({&w, callee.caller, to[i].in_register, to[i].offset, to[i].slot},
               {&w, &callee, from[i].in_register, from[i].offset, from[i].slot},
               std::min(to[i].bytes, from[i].bytes), lanes);
}

namespace {

u64 launch_value(const FilledRow& row, const Kernel& kernel, const Grid& grid) {
  switch (row.kind) {
    case Kind::kNtid:
      return component(grid.block, row.component);
    case Kind::kNctaid:
      return component(grid.size, row.component);
    case Kind::kNwarpid:
      return (grid.block.count() + kWarpSize - 1) / kWarpSize;
    case Kind::kNsmid:
      return grid.device->sms;
    case Kind::kGridid:
      return grid.id;
    case Kind::kDynamicShared:
      return grid.dynamic_shared_bytes;
    case Kind::kTotalShared:
      return grid.dynamic_shared_bytes + kernel.static_shared_bytes;
    case Kind::kNclusterid:
      return component(cluster_grid(grid), row.component);
    case Kind::kClusterNctaid:
      return component(grid.cluster, row.component);
    case Kind::kClusterSize:
      return grid.cluster.count();
    case Kind::kIsCluster:
      return grid.asked_for_clusters ? ~u64{0} : 0;
    case Kind::kWorkspaceLow:
      return static_cast<u32>(grid.workspace);
    case Kind::kWorkspaceHigh:
      return grid.workspace >> 32;
    case Kind::kParameter: {
      u64 value = 0;
      std::memcpy(&value, grid.parameters + row.value, row.source_bytes);
      const int unused = 64 - row.source_bytes * 8;
      if (row.is_signed && unused > 0) value = static_cast<u64>(static_cast<s64>(value << unused) >> unused);
      return value;
    }
    default:
      return 0;
  }
}

}  // namespace

void fill_launch_rows(const Kernel& kernel, const Grid& grid) {
  for (const Function& function : kernel.functions)
    for (const FilledRow& row : function.launch_rows)
      broadcast(function.constants.get() + row.slot.offset(), launch_value(row, kernel, grid), row.bytes);
}

}  // namespace roofline::sim
