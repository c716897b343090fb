// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "simulator/program/access_picture.h"
#include "simulator/program/counters.h"
#include "simulator/program/thread_record.h"
#include "simulator/program/trap.h"
#include "simulator/timing/stall.h"
#include "simulator/timing/trace.h"

/// What the machine tells the trusted side: kernels, counters, virtual time. Plain data; observer.h has its
/// wire form.
namespace roofline::sim {

/// The number of this stream on every GPU.
inline constexpr u32 kLegacyDefaultStream = 0;

/// One kernel as the machine saw it.
struct KernelRecord {
  std::string name;
  u32 stream = 0;
  Dim3 grid, block;
  double start = 0, end = 0;                           ///< virtual seconds
  double seconds = 0;                                  ///< modelled execution time without launch overhead
  std::string limiter;                                 ///< slowest resource
  std::vector<std::pair<std::string, double>> bounds;  ///< resource, seconds
  StallTimes stalls;                                   ///< KernelTime::stalls; without the wait for pages
  KernelCounters counters;                             ///< per_instruction empty unless requested
  KernelResources resources;
  Occupancy occupancy;
  u64 graph_launch = 0;  ///< a node of the region's n-th graph launch; 0: launched into a stream
  u64 ordinal = 0;       ///< the session's n-th kernel, from 1: TraceSpan::kernel
  u32 device = 0;        ///< which of the session's GPUs
  u64 page_faults = 0;   ///< groups of 64 KiB of managed memory that it waited for
  u64 migrated_in_bytes = 0, migrated_out_bytes = 0;  ///< because of them: to the GPU, and back to make room
};

/// Parameters of one launch that are no way to bring data: pointers, sizes, factors.
inline constexpr u64 kPlainParameterBytes = 256;

/// Bytes that the program brought to the device in other ways than by copies.
struct HostBytes {
  u64 code = 0;        ///< PTX of loaded modules: instructions and the initial values of variables
  u64 parameters = 0;  ///< of launches, each beyond kPlainParameterBytes
  u64 fills = 0;       ///< values of fills, not what they fill
  u64 objects = 0;     ///< textures and surfaces: their border colours and shapes
  u64 managed = 0;     ///< pages of managed memory that moved to the device
  u64 total() const { return code + parameters + fills + objects + managed; }
  void add(const HostBytes& more) {
    code += more.code;
    parameters += more.parameters;
    fills += more.fills;
    objects += more.objects;
    managed += more.managed;
  }
  void fields(auto& io) { io(code, parameters, fills, objects, managed); }
};

/// What of a region is one GPU's; its kernels have its number.
struct GpuRegion {
  u64 device_bytes_peak = 0;
  u64 sent_bytes = 0,
      received_bytes = 0;  ///< over the link to other GPUs, by copies and kernels of whichever
  void fields(auto& io) { io(device_bytes_peak, sent_bytes, received_bytes); }
};

/// Sums of a region, over all GPUs.
struct RegionCounts {
  u64 host_to_device_bytes = 0, device_to_host_bytes = 0, device_to_device_bytes = 0;
  u64 fill_bytes = 0;
  u64 default_stream_copies = 0;  ///< copies and fills in the legacy default stream
  u64 host_visible_bytes = 0;  ///< pinned, mapped and managed memory: alive at the beginning, and taken since
  u64 device_bytes_peak = 0;
  u64 host_waits = 0;  ///< times that the program waited for a stream, an event or a device, or asked in vain
  u64 waiting_frees = 0;        ///< of these, those in which it freed memory
  u64 asked_at_end = 0;         ///< whether an event or a stream is done, on end, until the region ended
  u64 launches_refused = 0;     ///< that never ran: the program got an error
  u64 printed_bytes = 0;        ///< by kernels
  u64 unread_output_bytes = 0;  ///< printed by kernels, never fetched: the program did not synchronise
  u64 modules_loaded = 0;       ///< images whose device code was loaded, those of the program itself included
  u64 kernels_not_kept = 0;     ///< launches beyond kMaxKernelRecords in one region: counted here, not listed
  u64 graphs_instantiated = 0;
  u64 graph_launches = 0;  ///< executable graphs launched
  u64 graph_nodes = 0;     ///< nodes that these executed, of all types
  HostBytes from_host;     ///< what reached the device beside copies

  void add(const RegionCounts& more) {
    for (const auto sum : kSums) this->*sum += more.*sum;
    from_host.add(more.from_host);
  }
  void fields(auto& io) {
    for (const auto sum : kSums) io(this->*sum);
    io(from_host);
  }

 private:
  static const std::array<u64 RegionCounts::*, 18> kSums;
};
inline constexpr std::array<u64 RegionCounts::*, 18> RegionCounts::kSums = {
    &RegionCounts::host_to_device_bytes,   &RegionCounts::device_to_host_bytes,
    &RegionCounts::device_to_device_bytes, &RegionCounts::fill_bytes,
    &RegionCounts::default_stream_copies,  &RegionCounts::host_visible_bytes,
    &RegionCounts::device_bytes_peak,      &RegionCounts::host_waits,
    &RegionCounts::waiting_frees,          &RegionCounts::asked_at_end,
    &RegionCounts::launches_refused,       &RegionCounts::printed_bytes,
    &RegionCounts::unread_output_bytes,    &RegionCounts::modules_loaded,
    &RegionCounts::kernels_not_kept,       &RegionCounts::graphs_instantiated,
    &RegionCounts::graph_launches,         &RegionCounts::graph_nodes,
};
static_assert(sizeof(RegionCounts) == 18 * sizeof(u64) + sizeof(HostBytes), "list a new count above");

/// What happened on the device between begin_region and end_region, or between two ends.
struct Region : RegionCounts {
  double virtual_seconds = 0;    ///< from the host clock at the beginning to the end of all work submitted
  double host_code_seconds = 0;  ///< of these, what the program said that its own code took (HostTime)
  std::vector<KernelRecord> kernels;
  std::vector<GpuRegion> gpus;  ///< in their order
  std::vector<Trap> traps;
  std::vector<std::string>
      missing_functions;                 ///< CUDA functions that the program called and the simulator lacks
  std::vector<std::string> load_errors;  ///< why code was not loaded or a launch was refused
};

/// The timeline of a session: host calls, work and events in the order in which they were submitted.
struct Trace {
  std::vector<TraceSpan> spans;
  u64 dropped = 0;  ///< spans beyond kMaxTraceSpans
};

/// One PTX instruction with its counts over all launches since the start.
struct LineRecord {
  std::string kernel, function;  ///< the function is another one than the kernel in code that it calls
  std::string file, ptx;         ///< file empty and line 0 when the program was built without -lineinfo
  u32 line = 0, ptx_line = 0;
  std::string caller_file;  ///< where the function that holds the line was inlined; line 0: nowhere
  u32 caller_line = 0;
  Pipe pipe = Pipe::kNone;
  u32 issue = 1;  ///< issue slots: machine instructions that it becomes
  bool is_load = false, is_store = false, is_atomic = false;
  bool is_spill = false;  ///< ptxas added it: registers did not suffice
  u8 width = 0;           ///< bytes a lane moved by an access
  bool is_branch = false, is_barrier = false;
  bool widens = false;  ///< makes a double of a float
  Arithmetic arithmetic = Arithmetic::kOther;
  ptx::Type type;  ///< that it computes in
  InstructionCounters counters;
  StallTimes stalls;  ///< of the kernel's, what belongs to this instruction
};

/// Launches that one region lists.
inline constexpr u64 kMaxKernelRecords = 100'000;

}  // namespace roofline::sim
