// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string>
#include <vector>

#include "simulator/machine/instruction.h"

namespace roofline::sim {

/// Counts of one static instruction over a whole kernel.
struct InstructionCounters {
  u64 warps = 0;          ///< warp instructions issued
  u64 lanes = 0;          ///< active lanes, summed
  u64 sectors = 0;        ///< global/local memory: 32-byte sectors requested, summed over warp requests
  u64 ideal_sectors = 0;  ///< sectors that the bytes moved would need if they lay side by side
  u64 wavefronts = 0;     ///< shared memory: passes needed (1 without bank conflict)
  u64 ideal_wavefronts = 0;
};

/// Exact counts of one kernel launch. All sums over every block; independent of how many host cores ran it.
struct KernelCounters {
  std::array<u64, static_cast<size_t>(Pipe::kCount)>
      pipe_warps{};  ///< warp issue slots by pipe (cost.issue weighted)
  std::array<u64, static_cast<size_t>(FlopType::kCount)> flops{};  ///< FLOPs by type, active lanes only
  u64 warp_instructions = 0;                                       ///< issued, hidden ones excluded
  u64 lane_instructions = 0;                                       ///< active lanes summed
  u64 issue_slots = 0;         ///< sum of cost.issue over warp instructions
  u64 three_register_fma = 0;  ///< FMA-pipe warp instructions with three distinct register sources

  u64 global_load_requests = 0, global_store_requests = 0, atomic_requests = 0;  ///< warp requests
  u64 global_load_bytes = 0, global_store_bytes = 0;  ///< bytes the lanes asked for
  u64 global_load_sectors = 0, global_store_sectors = 0,
      atomic_sectors = 0;  ///< requested by the SM (before L1)
  u64 ideal_sectors = 0;
  u64 global_lines =
      0;  ///< 128-byte lines touched, summed over global and local warp requests (L1 tag look-ups)
  u64 l1_hit_sectors = 0, l1_miss_sectors = 0;    ///< loads
  u64 l2_read_sectors = 0, l2_write_sectors = 0;  ///< arriving at L2
  u64 l2_hit_sectors = 0;                         ///< reads that hit
  u64 dram_read_bytes = 0, dram_write_bytes = 0;
  u64 local_requests = 0, local_sectors = 0;
  u64 atomic_lanes = 0;             ///< lane-level atomic operations
  u64 atomic_same_address_max = 0;  ///< most operations that met one address (serialised there)

  u64 shared_requests = 0, shared_wavefronts = 0, ideal_shared_wavefronts = 0;
  u64 barriers = 0;  ///< warp arrivals
  u64 branches = 0, divergent_branches = 0;
  u64 tensor_operations = 0;  ///< warp-level mma instructions

  /// Single-warp dependency time: cycles that the slowest sampled block needs when it runs alone on an SM,
  /// with loads that miss L1 answered by L2 (first) or by DRAM (second). See timing/scoreboard.h.
  double block_cycles_l2 = 0, block_cycles_dram = 0;

  std::vector<InstructionCounters> per_instruction;  ///< parallel to Function::info
};

/// What the launch asked of an SM; occupancy follows from it.
struct KernelResources {
  u32 registers = 0;                 ///< a thread
  bool registers_estimated = false;  ///< no ELF in the image: from liveness
  u64 static_shared_bytes = 0;
  u64 dynamic_shared_bytes = 0;
  u64 local_bytes = 0;  ///< a thread
  u64 spill_bytes = 0;
  u32 barriers = 0;
  u32 max_threads = 0;  ///< launch bound, 0 when none
};

struct Occupancy {
  u32 blocks_per_sm = 0;
  u32 warps_per_sm = 0;
  double fraction = 0;  ///< of the SM's warp slots
  std::string limiter;  ///< "registers", "shared memory", "warps", "blocks", "barriers", "grid"
};

}  // namespace roofline::sim
