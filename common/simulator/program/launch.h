// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "simulator/program/counters.h"
#include "simulator/types.h"

/// What is known of loaded code, and what a launch asks for: plain data that crosses the channel.
namespace roofline::sim {

using ModuleId = u32;
using FunctionId = u32;

/// An access to local memory that ptxas added because registers did not suffice.
struct Spill {
  bool is_store = false;  ///< else the value comes back
  u32 bytes = 4;          ///< a lane
  u32 place = 0;          ///< in the thread's stack frame
  u32 ptx_line = 0;       ///< of the instruction that needs it; 0: compiled without -lineinfo
  double part = 0;        ///< of the kernel's machine code that is before it
};

/// Per-kernel facts read from an embedded ELF image; empty list when there is none.
struct ElfKernel {
  std::string name;
  u32 registers = 0;
  bool is_of_other_device = false;  ///< its machine code is for another architecture: a good guess only
  u64 shared_bytes = 0, local_bytes = 0, spill_bytes = 0;
  u32 barriers = 0, max_threads = 0;
  std::vector<Spill> spills;  ///< in the order of the machine code
};

struct FunctionFacts {
  FunctionId id = 0;
  std::string name;
  std::vector<u32> parameter_offsets, parameter_sizes;  ///< bytes, in order, as laid out for the launch
  u32 parameter_bytes = 0;
  KernelResources resources;
  Dim3 cluster{0, 0, 0};  ///< as compiled (__cluster_dims__), 0 when not
  std::string problem;    ///< why it cannot run: it reaches an unknown instruction
  bool may_wait = false;  ///< in memory, for what comes after it
};

struct VariableFacts {
  std::string name;
  u64 address = 0, bytes = 0;
  bool constant = false, managed = false;
};

struct ModuleFacts {
  ModuleId id = 0;
  std::vector<FunctionFacts> functions;  ///< entries only
  std::vector<VariableFacts> variables;
};

struct Launch {
  FunctionId function = 0;
  Dim3 grid, block;
  u64 dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;  ///< packed as FunctionFacts says
  bool cooperative = false;
  Dim3 cluster{0, 0, 0};  ///< blocks of a cluster; 0: as the kernel was compiled
  u64 sample_seed = 0;    ///< draws the blocks whose waiting is looked at closely; nothing else depends on it
};

}  // namespace roofline::sim
