// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/channel/messages.h"
#include "simulator/program/launch.h"
#include "simulator/timing/device_description.h"

/// What the machine answers. A packet: Header, Outcome, then the fields of the answer when the status is kOk.
namespace roofline::sim::channel {

struct Outcome {
  Status status = Status::kOk;    ///< of this command
  Status sticky = Status::kOk;    ///< a kernel faulted: every later call fails with this
  Status deferred = Status::kOk;  ///< of a posted command since the last answer
  bool output = false;            ///< kernels printed something: TakeOutput
  std::string message;            ///< for a person, about status, deferred or (once) sticky
  void fields(auto& io) { io(status, sticky, deferred, output, message); }
};

struct Nothing {
  void fields(auto&) {}
};

/// The facts of a device that the CUDA API tells a program.
struct DeviceFacts {
  DeviceDescription device;
  void fields(auto& io) {
    auto& d = device;
    io(d.id, d.name, d.compute_major, d.compute_minor, d.sms, d.clock_mhz);
    io(d.max_threads_per_block, d.max_threads_per_sm, d.max_blocks_per_sm, d.max_warps_per_sm,
       d.registers_per_sm);
    io(d.register_allocation_unit, d.shared_per_sm, d.shared_per_block, d.shared_per_block_optin);
    io(d.shared_reserved_per_block, d.l1_bytes, d.memory_bytes, d.memory_bus_bits, d.memory_clock_mhz,
       d.l2_bytes);
    io(d.copy_engines, d.pcie_generation, d.peer_access, d.peer_gbps);
  }
};

/// Three descriptors come with it: staging memory, host window, MachineClock.
struct Welcome {
  DeviceFacts facts;
  u64 staging_bytes = 0, host_window_bytes = 0;
  u32 checks = 0;         ///< what is checked: a set of Check (checks/finding.h)
  u32 gpus = 1;           ///< how many of the device there are
  bool sharing = false;   ///< MachineOptions::sharing
  bool observed = false;  ///< kernels are watched as they run: one at a time
  void fields(auto& io) { io(facts, staging_bytes, host_window_bytes, checks, gpus, sharing, observed); }
};

struct Address {
  u64 address = 0;
  void fields(auto& io) { io(address); }
};

/// The module's facts were written to the start of the staging memory, as LoadedModule.
struct InStaging {
  u64 bytes = 0;
  void fields(auto& io) { io(bytes); }
};

struct LoadedFunction {
  FunctionFacts facts;
  void fields(auto& io) {
    auto& r = facts.resources;
    io(facts.id, facts.name, facts.parameter_offsets, facts.parameter_sizes, facts.parameter_bytes);
    io(r.registers, r.registers_estimated, r.static_shared_bytes, r.dynamic_shared_bytes, r.local_bytes,
       r.spill_bytes);
    io(r.barriers, r.max_threads, facts.cluster, facts.problem, facts.may_wait);
  }
};
struct LoadedVariable {
  VariableFacts facts;
  void fields(auto& io) { io(facts.name, facts.address, facts.bytes, facts.constant, facts.managed); }
};
struct LoadedModule {
  u32 id = 0;
  u32 target = 0;  ///< architecture of the PTX: 80 for compute_80
  std::vector<LoadedFunction> functions;
  std::vector<LoadedVariable> variables;
  void fields(auto& io) { io(id, target, functions, variables); }
};

struct EventState {
  bool recorded = false, done = false;
  double seconds = 0;  ///< virtual time at which it completes
  void fields(auto& io) { io(recorded, done, seconds); }
};
struct StreamState {
  bool done = false;
  void fields(auto& io) { io(done); }
};
struct WordState {
  bool accepted = false;
  void fields(auto& io) { io(accepted); }
};
struct KernelState {
  bool ended = false;
  void fields(auto& io) { io(ended); }
};
struct MemoryState {
  u64 free_bytes = 0, total_bytes = 0;
  void fields(auto& io) { io(free_bytes, total_bytes); }
};
struct AllocationState {
  bool found = false;
  u64 begin = 0, bytes = 0;
  u32 gpu = 0;  ///< whose memory the address shows
  void fields(auto& io) { io(found, begin, bytes, gpu); }
};
struct MappingState {
  bool found = false;
  u64 begin = 0, bytes = 0, piece = 0;
  u32 gpu = 0;                                ///< which has the piece
  MappedAccess access = MappedAccess::kNone;  ///< of the GPU that is asked
  void fields(auto& io) { io(found, begin, bytes, piece, gpu, access); }
};
/// What was opened of another process.
struct SharedState {
  u64 id = 0;     ///< address or piece here; of a pool, a number that it has in the other process
  u32 gpu = 0;    ///< which has it
  u64 bytes = 0;  ///< of memory
  void fields(auto& io) { io(id, gpu, bytes); }
};
struct OccupancyState {
  u32 blocks_per_sm = 0, warps_per_sm = 0;
  void fields(auto& io) { io(blocks_per_sm, warps_per_sm); }
};
/// Where a graph's run waits for the program. At a host node the program calls its function. At a copy, bytes
/// [offset, offset + bytes) of what the copy moves (rows packed) lie at the start of the staging memory
/// (kCopyOut), or must be put there (kCopyIn).
struct GraphStop {
  bool done = false;  ///< the run is over; the rest means nothing
  u32 node = 0;       ///< place in the graph
  u64 offset = 0, bytes = 0;
  bool waits = false;  ///< a kernel of the run waits for what comes after it: to be asked again; the rest
                       ///< means nothing
  void fields(auto& io) { io(done, node, offset, bytes, waits); }
};
struct GraphFacts {
  bool may_wait = false;  ///< kernels of it, in memory for what comes after them
  void fields(auto& io) { io(may_wait); }
};
struct BusyRun {
  u64 begin = 0, bytes = 0;
  bool written = false;  ///< by the device; otherwise it is read
  void fields(auto& io) { io(begin, bytes, written); }
};
struct BusyMemory {
  std::vector<BusyRun> runs;
  void fields(auto& io) { io(runs); }
};
struct Output {
  std::string text;
  bool more = false;
  void fields(auto& io) { io(text, more); }
};

}  // namespace roofline::sim::channel
