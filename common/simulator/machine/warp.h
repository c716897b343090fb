// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "simulator/machine/counters.h"
#include "simulator/machine/lanes.h"
#include "simulator/machine/trap.h"
#include "simulator/timing/cache.h"
#include "simulator/timing/scoreboard.h"

namespace roofline::sim {

struct Block;
struct Grid;
struct Function;
class Memory;

/// Lanes that run together: one program counter, one call stack. A diverged warp has several.
struct Fragment;

/// A warp in execution. Instruction bodies see Lanes (registers, mask) and, where they need it, the block.
struct Warp : Lanes {
  Block* block = nullptr;
  u32 index = 0;         ///< of the warp in its block; lane l is thread index*32 + l
  u32 pc = 0;            ///< of the running fragment; control flow sets it (already advanced when execute runs)
  u32 existing = 0;      ///< lanes that are threads of the block (partial last warp)
  u32 exited = 0;        ///< lanes that have returned
  u32 fragment_mask = 0; ///< lanes of the running fragment (mask is this with the guard applied)
  bool yield = false;    ///< set by an instruction: leave the run loop after it (load issued, barrier, spin)

  Scoreboard* scoreboard = nullptr;  ///< only in sampled blocks
  MemoryLevel memory_level = MemoryLevel::kNone;  ///< set by memory instructions for the scoreboard
  u32 memory_passes = 1;

  /// Raises a trap at the running instruction: fills kernel, block, lines; does not return.
  [[noreturn]] void trap(TrapKind kind, u32 lane, const Instruction& in, const std::string& what);
};

/// One thread block in execution.
struct Block {
  Grid* grid = nullptr;
  Dim3 id{0, 0, 0};
  u64 linear_id = 0;
  u8* shared = nullptr;        ///< static then dynamic shared memory, addresses 0 .. shared_bytes
  u64 shared_bytes = 0;
  u8* local = nullptr;         ///< thread t's local memory starts at local + t * local_bytes
  u64 local_bytes = 0;
  L1Cache* l1 = nullptr;
  std::vector<SectorRun> runs; ///< global-memory transactions beyond L1, in execution order
  std::string output;          ///< printf
  std::vector<InstructionCounters>* counters = nullptr;  ///< of the host thread that runs this block
  KernelCounters* totals = nullptr;                      ///< likewise; per-request sums
};

/// One launch in execution, shared by all blocks.
struct Grid {
  const Function* function = nullptr;
  Memory* memory = nullptr;
  const DeviceDescription* device = nullptr;
  Dim3 size, block;
  u64 dynamic_shared_bytes = 0;
  bool parallel = false;       ///< several host threads run blocks: atomics must be host-atomic
};

}  // namespace roofline::sim
