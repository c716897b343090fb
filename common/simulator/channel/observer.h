// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "simulator/channel/wire.h"
#include "simulator/host/session.h"

/// What the trusted observer asks of the machine: one packet holding an ObserverCommand; the answer is a long
/// message.
namespace roofline::sim::channel {

enum class ObserverCommand : u32 { kHello, kBeginRegion, kEndRegion, kLines, kFindings, kTrace };

/// All sums of KernelCounters as plain bytes (both sides are built from the same header), without the
/// instructions.
void kernel_counters(auto& io, KernelCounters& counters) {
  io.raw(&counters, offsetof(KernelCounters, per_instruction));
}

struct WireInstructionCounters {
  InstructionCounters counters;
  void fields(auto& io) {
    auto& c = counters;
    io(c.warps, c.lanes, c.sectors, c.ideal_sectors, c.wavefronts, c.ideal_wavefronts);
  }
};

struct WireKernel {
  KernelRecord record;
  void fields(auto& io) {
    auto& k = record;
    io(k.name, k.stream, k.grid, k.block, k.start, k.end, k.seconds, k.limiter, k.bounds);
    kernel_counters(io, k.counters);
    auto& r = k.resources;
    io(r.registers, r.registers_estimated, r.static_shared_bytes, r.dynamic_shared_bytes, r.local_bytes,
       r.spill_bytes);
    io(r.barriers, r.max_threads);
    io(k.occupancy.blocks_per_sm, k.occupancy.warps_per_sm, k.occupancy.fraction, k.occupancy.limiter);
    io(k.graph_launch, k.ordinal, k.device);
  }
};

struct WireTrap {
  Trap trap;
  void fields(auto& io) {
    io(trap.kind, trap.message, trap.kernel, trap.block, trap.thread, trap.source_file, trap.source_line,
       trap.ptx_line);
  }
};

struct WireRegion {
  double virtual_seconds = 0;
  std::vector<WireKernel> kernels;
  u64 host_to_device_bytes = 0, device_to_host_bytes = 0, device_to_device_bytes = 0, fill_bytes = 0;
  u64 host_visible_bytes = 0, device_bytes_peak = 0, kernels_not_kept = 0, unread_output_bytes = 0,
      graph_launches = 0, graph_nodes = 0;
  std::vector<WireTrap> traps;
  std::vector<std::string> missing_functions, load_errors;
  void fields(auto& io) {
    io(virtual_seconds, kernels, host_to_device_bytes, device_to_host_bytes, device_to_device_bytes,
       fill_bytes);
    io(host_visible_bytes, device_bytes_peak, kernels_not_kept, traps, missing_functions, load_errors,
       unread_output_bytes, graph_launches, graph_nodes);
  }
};

struct WireSpan {
  TraceSpan span;
  void fields(auto& io) {
    auto& s = span;
    io(s.kind, s.name, s.device, s.stream, s.start, s.end, s.bytes, s.share, s.call, s.kernel, s.event);
  }
};

struct WireTrace {
  std::vector<WireSpan> spans;
  u64 dropped = 0;
  void fields(auto& io) { io(spans, dropped); }
};

struct WireLine {
  Session::Line line;
  void fields(auto& io) {
    WireInstructionCounters c{line.counters};
    io(line.kernel, line.file, line.ptx, line.line, c);
    line.counters = c.counters;
  }
};

}  // namespace roofline::sim::channel
