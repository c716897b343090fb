// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "simulator/channel/observed.h"
#include "simulator/channel/wire.h"

/// What the trusted observer asks of the machine: one packet holding an ObserverCommand; the answer is a long
/// message.
namespace roofline::sim::channel {

enum class ObserverCommand : u32 {
  kHello,
  kBeginRegion,
  kEndRegion,
  kLines,
  kFindings,
  kTrace,
  kFollow,       ///< with a WireThreadRequest; answered by nothing
  kFollowed,     ///< answered by a WireThreadRecord
  kPicture,      ///< with a WirePictureRequest; answered by nothing
  kPictured,     ///< answered by a WirePicture
  kRead,         ///< with a MemoryRange and a descriptor to write to; answered by whether it was done
  kWrite,        ///< with a MemoryRange and a descriptor to read from; answered by whether it was done
  kSamplingSeed  ///< with a u64; answered by nothing
};

/// All sums of KernelCounters as plain bytes (both sides are built from the same header), without the
/// instructions.
void kernel_counters(auto& io, KernelCounters& counters) {
  io.raw(&counters, offsetof(KernelCounters, per_instruction));
}

struct WireInstructionCounters {
  InstructionCounters counters;
  void fields(auto& io) {
    for (u64 InstructionCounters::*sum : InstructionCounters::kSums) io(counters.*sum);
    io(counters.stride_low, counters.stride_high);
  }
};

struct WireKernel {
  KernelRecord record;
  void fields(auto& io) {
    auto& k = record;
    io(k.name, k.stream, k.grid, k.block, k.start, k.end, k.seconds, k.limiter, k.bounds);
    for (double& seconds : k.stalls.of) io(seconds);
    kernel_counters(io, k.counters);
    auto& r = k.resources;
    io(r.registers, r.registers_estimated, r.static_shared_bytes, r.dynamic_shared_bytes, r.local_bytes,
       r.spill_bytes);
    io(r.barriers, r.max_threads);
    io(k.occupancy.blocks_per_sm, k.occupancy.warps_per_sm, k.occupancy.fraction, k.occupancy.limiter);
    io(k.graph_launch, k.ordinal, k.device);
    io(k.page_faults, k.migrated_in_bytes, k.migrated_out_bytes);
  }
};

struct WireTrap {
  Trap trap;
  void fields(auto& io) {
    io(trap.kind, trap.address, trap.message, trap.kernel, trap.block, trap.thread, trap.source_file,
       trap.source_line, trap.ptx_line);
  }
};

/// One whole allocation of device memory.
struct MemoryRange {
  u64 address = 0, bytes = 0;
  u64 offset = 0;         ///< where in the descriptor's file it goes to or comes from
  u32 device = 0;         ///< the GPU that must hold it
  bool keeps_l2 = false;  ///< kWrite: L2 keeps what it holds
  bool garbage = false;   ///< kWrite: to the checks it is as if nobody had written it
  void fields(auto& io) { io(address, bytes, offset, device, keeps_l2, garbage); }
};

struct WireRegion : RegionCounts {
  double virtual_seconds = 0, host_code_seconds = 0;
  std::vector<WireKernel> kernels;
  std::vector<GpuRegion> gpus;
  std::vector<WireTrap> traps;
  std::vector<std::string> missing_functions, load_errors;
  void fields(auto& io) {
    RegionCounts::fields(io);
    io(virtual_seconds, host_code_seconds, kernels, gpus, traps, missing_functions, load_errors);
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
  LineRecord line;
  void fields(auto& io) {
    WireInstructionCounters c{line.counters};
    io(line.kernel, line.function, line.file, line.ptx, line.line, line.ptx_line, line.caller_file,
       line.caller_line);
    io(line.pipe, line.issue, line.is_load, line.is_store, line.is_atomic, line.is_spill, c);
    io(line.width, line.is_branch, line.is_barrier, line.widens, line.arithmetic);
    io(line.type.kind, line.type.bits, line.type.lanes);
    line.counters = c.counters;
    for (double& seconds : line.stalls.of) io(seconds);
  }
};

struct WireThreadRequest {
  ThreadRequest request;
  void fields(auto& io) {
    auto& r = request;
    io(r.kernel, r.launch, r.block, r.thread, r.block_is_linear, r.thread_is_linear, r.most_steps);
  }
};

/// A list whose elements have a form of their own on the wire. Both sides call it: the reader finds the list
/// empty and fills it.
template <class Wire, class T>
void list(auto& io, std::vector<T>& values) {
  std::vector<Wire> wire;
  for (T& value : values) wire.push_back(Wire{std::move(value)});
  io(wire);
  values.clear();
  for (Wire& value : wire) values.push_back(std::move(value.value));
}

struct WireThreadRecord {
  struct Value {
    ThreadRecord::Value value;
    void fields(auto& io) { io(value.name, value.written, value.low, value.high); }
  };
  struct Step {
    ThreadRecord::Step value;
    void fields(auto& io) {
      auto& s = value;
      io(s.kind, s.instruction, s.last, s.depth, s.lanes, s.count);
      io(s.has_address, s.address, s.offset, s.place);
      list<Value>(io, s.values);
    }
  };
  struct Held {
    HeldType value;
    void fields(auto& io) {
      io(value.name, value.is_address, value.type.kind, value.type.bits, value.type.lanes);
    }
  };
  struct Instruction {
    ThreadRecord::Instruction value;
    void fields(auto& io) {
      auto& i = value;
      io(i.text, i.function, i.file, i.line, i.ptx_line, i.guard, i.branches, i.is_barrier);
      list<Held>(io, i.held);
    }
  };
  struct Register {
    ThreadRecord::Register value;
    void fields(auto& io) { io(value.name, value.type.kind, value.type.bits, value.type.lanes); }
  };
  struct Place {
    ThreadRecord::Place value;
    void fields(auto& io) { io(value.what, value.bytes); }
  };
  ThreadRecord record;
  void fields(auto& io) {
    auto& r = record;
    io(r.found, r.problem, r.kernel, r.launches, r.launch, r.grid, r.block_size, r.block, r.thread);
    io(r.executed);
    list<Instruction>(io, r.instructions);
    list<Register>(io, r.registers);
    list<Place>(io, r.places);
    list<Step>(io, r.steps);
  }
};

struct WirePictureRequest {
  PictureRequest request;
  void fields(auto& io) {
    auto& r = request;
    io(r.file, r.line, r.launch, r.block, r.warp, r.most_requests, r.most_elements, r.most_steps);
  }
};

struct WirePicture {
  struct Instruction {
    AccessPicture::Instruction value;
    void fields(auto& io) { io(value.text, value.line); }
  };
  struct Place {
    AccessPicture::Place value;
    void fields(auto& io) { io(value.what, value.bytes); }
  };
  struct Request {
    AccessPicture::Request value;
    void fields(auto& io) {
      auto& r = value;
      io(r.instruction, r.kind, r.shared, r.mask, r.width, r.place, r.address, r.addresses, r.cost, r.ideal);
    }
  };
  struct Writer {
    AccessPicture::Writer value;
    void fields(auto& io) { io(value.element, value.block, value.thread); }
  };
  struct Step {
    AccessPicture::Step value;
    void fields(auto& io) { io(value.instruction, value.active); }
  };
  AccessPicture picture;
  void fields(auto& io) {
    auto& p = picture;
    io(p.found, p.problem, p.kernel, p.launches, p.lines, p.grid, p.block_size, p.existing, p.all_requests);
    io(p.written_place, p.written_width, p.all_steps);
    list<Instruction>(io, p.instructions);
    list<Place>(io, p.places);
    list<Request>(io, p.requests);
    list<Writer>(io, p.writers);
    list<Step>(io, p.steps);
  }
};

}  // namespace roofline::sim::channel
