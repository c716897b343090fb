// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "simulator/channel/observed.h"
#include "simulator/timing/device_description.h"

/// What a program did on the simulated GPU, put together for a reader: by kernel, and in it by source line.
namespace roofline::grader {

/// Instructions of one source line in one kernel. Without -lineinfo: one PTX instruction, whose `line` is
/// that of the PTX and whose `file` is empty.
struct LineProfile {
  std::string file;
  unsigned line = 0;
  std::string function;  ///< readable; another one than the kernel in code that it calls
  std::vector<std::pair<std::string, unsigned>> callers;  ///< where its function was inlined, if anywhere
  std::vector<const sim::LineRecord*> instructions;
  sim::InstructionCounters sum;
  sim::StallTimes stalls;  ///< of the kernel's

  /// Sectors that left for L1 and beyond, local memory included.
  double traffic() const { return static_cast<double>(sum.sectors + sum.local_sectors); }
};

/// All launches of one kernel.
struct KernelProfile {
  std::string symbol, name;
  size_t launches = 0;
  double seconds = 0;                                  ///< simulated, all launches
  std::vector<std::pair<std::string, double>> bounds;  ///< resource, simulated seconds; slowest first
  sim::StallTimes stalls;                              ///< of `seconds`, what the average warp does with them
  const sim::KernelRecord* longest = nullptr;          ///< of the launches
  sim::KernelCounters counters;                        ///< summed; maxima where a maximum is meant
  double blocks = 0;
  bool has_lines = false;  ///< built with -lineinfo
  std::vector<LineProfile> lines;

  double bound(const std::string& resource) const;
  /// The kernel's time with some bounds multiplied by a factor, as a share of its present time.
  double share_with(const std::vector<std::pair<std::string, double>>& factors) const;
  double traffic() const;
  double warp_instructions() const { return static_cast<double>(counters.warp_instructions); }
  double lanes() const;  ///< mean active lanes of a warp
  /// The line where warps spend most time in this way; nullptr: none.
  const LineProfile* line_of(sim::Stall stall) const;
  /// The line that stands for the whole kernel: its first.
  const LineProfile* head() const;
};

struct ProgramProfile {
  sim::Region region;
  std::vector<sim::LineRecord> instructions;  ///< kernels point into them
  sim::DeviceDescription device;
  std::vector<KernelProfile> kernels;  ///< most time first
  double kernel_seconds = 0;           ///< executing kernels, without what launching them costs; simulated
  double copy_seconds = 0;             ///< at least: the copies at the link's rate
  /// Of region.virtual_seconds, what is neither: launches, synchronisation, allocation, idle time.
  double overhead_seconds = 0;

  ProgramProfile() = default;
  ProgramProfile(ProgramProfile&&) = default;  ///< not copied: the kernels point into it
  ProgramProfile& operator=(ProgramProfile&&) = default;
};

ProgramProfile profile_of(sim::Region region, std::vector<sim::LineRecord> instructions,
                          const sim::DeviceDescription& device);

/// What was done for some time, most first.
std::vector<std::pair<sim::Stall, double>> by_time(const sim::StallTimes& stalls);

/// The question that a reader asks of a kernel's limiter.
enum class BoundKind { kCompute, kMemory, kLatency, kAtomics };
BoundKind kind_of_bound(const std::string& resource);
/// "compute: FMA", "memory bandwidth: DRAM", "latency: too little work in flight", "atomics".
std::string bound_text(const std::string& resource);

/// The text of one line of a source file, made printable; empty when it cannot be read. Files are read once.
class SourceText {
 public:
  SourceText();
  ~SourceText();
  std::string line(const std::string& file, unsigned number);

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

}  // namespace roofline::grader
