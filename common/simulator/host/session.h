// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "simulator/checks/finding.h"
#include "simulator/machine/counters.h"
#include "simulator/machine/thread_record.h"
#include "simulator/machine/trap.h"
#include "simulator/timing/trace.h"

/// The trusted side of a simulated device: starts the machine's process and reads counters and virtual time
/// from it over a private channel. The program under test gets only the guest channel (a descriptor).
namespace roofline::sim {

struct SessionOptions {
  std::string device = "a100-sxm4-40gb";
  unsigned threads = 0;            ///< 0: all cores
  unsigned gpus = 1;               ///< how many of the device
  std::string vector_level = {};   ///< "", "v2", "v3", "v4": x86-64 level; empty: the best this CPU has
  u32 checks = 0;                  ///< a set of Check: what to look for beside memory faults
  u64 device_memory = 0;           ///< bytes of each GPU, 0: as its device file says
  double kernel_time_limit = 0;    ///< wall seconds a kernel may take, 0: no limit
  bool trace = false;              ///< keep a timeline for trace()
  bool permute_fragments = false;  ///< wmma fragments in a layout that no hardware has
};

/// One kernel as the machine saw it.
struct KernelRecord {
  std::string name;
  u32 stream = 0;
  Dim3 grid, block;
  double start = 0, end = 0;                           ///< virtual seconds
  double seconds = 0;                                  ///< modelled execution time without launch overhead
  std::string limiter;                                 ///< slowest resource
  std::vector<std::pair<std::string, double>> bounds;  ///< resource, seconds
  KernelCounters counters;                             ///< per_instruction empty unless requested
  KernelResources resources;
  Occupancy occupancy;
  u64 graph_launch = 0;  ///< a node of the region's n-th graph launch; 0: launched into a stream
  u64 ordinal = 0;       ///< the session's n-th kernel, from 1: TraceSpan::kernel
  u32 device = 0;        ///< which of the session's GPUs
  u64 page_faults = 0;   ///< groups of 64 KiB of managed memory that it waited for
  u64 migrated_in_bytes = 0, migrated_out_bytes = 0;  ///< because of them: to the GPU, and back to make room
};

/// What happened on the device between begin_region and end_region.
struct Region {
  double virtual_seconds = 0;  ///< from the host clock at the beginning to the end of all work submitted
  std::vector<KernelRecord> kernels;
  u64 host_to_device_bytes = 0, device_to_host_bytes = 0, device_to_device_bytes = 0;
  u64 fill_bytes = 0;
  u64 host_visible_bytes = 0;  ///< pinned/mapped/managed memory alive at any time in the region
  u64 device_bytes_peak = 0;
  std::vector<Trap> traps;
  std::vector<std::string>
      missing_functions;                 ///< CUDA functions that the program called and the simulator lacks
  std::vector<std::string> load_errors;  ///< why code was not loaded or a launch was refused
  u64 unread_output_bytes = 0;  ///< printed by kernels, never fetched: the program did not synchronise
  u64 modules_loaded = 0;       ///< images whose device code was loaded, those of the program itself included
  u64 kernels_not_kept = 0;     ///< launches beyond kMaxKernelRecords in one region: counted here, not listed
  u64 graphs_instantiated = 0;
  u64 graph_launches = 0;  ///< executable graphs launched
  u64 graph_nodes = 0;     ///< nodes that these executed, of all types
};

/// The timeline of a session: host calls, work and events in the order in which they were submitted.
struct Trace {
  std::vector<TraceSpan> spans;
  u64 dropped = 0;  ///< spans beyond kMaxTraceSpans
};

/// Launches that one region lists.
inline constexpr u64 kMaxKernelRecords = 100'000;

class Session {
 public:
  /// Starts the machine; throws std::runtime_error when it cannot. `simulator_directory` holds the machine
  /// executables, libcudart.so.13 and devices/.
  static Session start(const std::filesystem::path& simulator_directory, const SessionOptions& options);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();  ///< ends the machine

  /// The guest's end of the channel: pass it to exactly one child (kept open across exec) and name it in the
  /// environment variable ROOFLINE_DEVICE_FD. close_guest_fd() after the fork.
  int guest_fd() const;
  void close_guest_fd();
  int machine_pid() const;

  void begin_region();
  Region end_region();
  /// The timeline since the start; empty unless SessionOptions::trace.
  Trace trace();
  /// One PTX instruction with its counts over all launches since the start.
  struct Line {
    std::string kernel, function;  ///< the function is another one than the kernel in code that it calls
    std::string file, ptx;         ///< file empty and line 0 when the program was built without -lineinfo
    u32 line = 0, ptx_line = 0;
    std::string caller_file;  ///< where the function that holds the line was inlined; line 0: nowhere
    u32 caller_line = 0;
    Pipe pipe = Pipe::kNone;
    u32 issue = 1;  ///< issue slots: machine instructions that it becomes
    bool is_load = false, is_store = false, is_atomic = false;
    InstructionCounters counters;
  };
  std::vector<Line> lines();
  /// The bugs that the checks found since the start; empty without SessionOptions::checks. Notes do not make
  /// the program wrong.
  std::vector<Finding> findings();

  /// Before the program starts: writes down what one thread does.
  void follow(const ThreadRequest& request);
  ThreadRecord followed();

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace roofline::sim
