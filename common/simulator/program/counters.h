// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "simulator/program/resource_use.h"

namespace roofline::sim {

/// What the machine's loop counts of every instruction it issues; apart from the rest, so that a long loop's
/// counts stay in the host's first cache.
struct IssueCounters {
  u64 warps = 0, lanes = 0;  ///< as in InstructionCounters
};

/// Counts of one static instruction over a whole kernel. What a warp request costs is counted by the space
/// that its addresses fall into, whatever the instruction says.
struct InstructionCounters {
  u64 warps = 0;           ///< warp instructions issued
  u64 lanes = 0;           ///< active lanes, summed
  u64 requests = 0;        ///< warp requests to global or shared memory
  u64 sectors = 0;         ///< global memory: 32-byte sectors requested
  u64 ideal_sectors = 0;   ///< sectors that the bytes moved would need if they lay side by side
  u64 l1_hit_sectors = 0;  ///< loads
  u64 wavefronts = 0;      ///< shared memory: passes needed (1 without bank conflict)
  u64 ideal_wavefronts = 0;
  u64 local_requests = 0, local_sectors = 0;  ///< local memory: spills and arrays
  u64 divergent = 0;                          ///< times a branch split the lanes that reached it
  u64 atomic_turns = 0;     ///< atomics: most lanes of the warp on one address, summed over requests
  u64 irregular = 0;        ///< requests that cost more than their ideal and have no common stride
  u64 l2_read_sectors = 0;  ///< reads and atomics that arrived at L2
  u64 l2_hit_sectors = 0;   ///< of these
  /// Bytes between neighbouring lanes in requests that cost more than their ideal: smallest and largest.
  s32 stride_low = kNoStride, stride_high = -kNoStride;
  static constexpr s32 kNoStride = 0x7fff'ffff;

  void add(const InstructionCounters& other) {
    for (u64 InstructionCounters::*sum : kSums) this->*sum += other.*sum;
    stride_low = stride_low < other.stride_low ? stride_low : other.stride_low;
    stride_high = stride_high > other.stride_high ? stride_high : other.stride_high;
  }
  static const std::array<u64 InstructionCounters::*, 15> kSums;  ///< in the order of declaration
};
inline constexpr std::array<u64 InstructionCounters::*, 15> InstructionCounters::kSums = {
    &InstructionCounters::warps,          &InstructionCounters::lanes,
    &InstructionCounters::requests,       &InstructionCounters::sectors,
    &InstructionCounters::ideal_sectors,  &InstructionCounters::l1_hit_sectors,
    &InstructionCounters::wavefronts,     &InstructionCounters::ideal_wavefronts,
    &InstructionCounters::local_requests, &InstructionCounters::local_sectors,
    &InstructionCounters::divergent,      &InstructionCounters::atomic_turns,
    &InstructionCounters::irregular,      &InstructionCounters::l2_read_sectors,
    &InstructionCounters::l2_hit_sectors};
static_assert(sizeof(InstructionCounters) == InstructionCounters::kSums.size() * sizeof(u64) +
                                                 2 * sizeof(InstructionCounters::stride_low),
              "every sum is listed in kSums");
static_assert(sizeof(InstructionCounters) == 128, "the index of an instruction is scaled by a shift");

/// What a kernel moved over the link between its GPU and another.
struct PeerBytes {
  u64 read = 0, written = 0;
};

/// Exact counts of one kernel launch. All sums over every block; independent of how many host cores ran it.
/// Each number between `flops` and `busiest` is listed once below, by who counts it.
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
  /// L1's data path: passes over banks and lines, and transfers of 128 bytes to or from lanes; see
  /// find_data_path in access_pattern.cpp.
  u64 global_passes = 0, global_transfers = 0;
  u64 l1_hit_sectors = 0, l1_miss_sectors = 0;    ///< loads
  u64 l2_read_sectors = 0, l2_write_sectors = 0;  ///< arriving at L2
  u64 l2_hit_sectors = 0;                         ///< reads that hit
  u64 dram_read_bytes = 0, dram_write_bytes = 0;
  u64 host_read_bytes = 0, host_write_bytes = 0;  ///< of pinned memory, over the link
  u64 peer_read_bytes = 0, peer_write_bytes = 0;  ///< of other GPUs' memory, over the link between them
  u64 local_requests = 0, local_sectors = 0;
  u64 atomic_lanes = 0;        ///< lane-level atomic operations
  u64 atomic_float_lanes = 0;  ///< of them, of floats
  /// Global atomics in L2: sectors of requests, different words in them, and turns of lanes that meet on a
  /// word behind the first; those of 64 bits apart.
  u64 atomic_met_sectors = 0, atomic_sector_words = 0, atomic_more_turns = 0, atomic_more_turns_64 = 0;
  u64 atomic_slice_turns_max = 0;   ///< most turns that one slice of L2 did, one after the other
  u64 atomic_same_address_max = 0;  ///< most operations that met one address (serialised there)

  u64 shared_requests = 0, shared_wavefronts = 0, ideal_shared_wavefronts = 0;
  u64 shared_loop_passes = 0;  ///< beyond the wavefronts, in loops of compare and swap
  u64 barriers = 0;            ///< warp arrivals
  u64 branches = 0, divergent_branches = 0;
  u64 tensor_operations = 0;  ///< warp-level mma instructions

  /// How evenly warps share the work: instructions of the block's busiest warp times the block's warps, and
  /// of all warps, both summed over blocks; then the same of the busiest block alone.
  u64 busiest_warp_instructions = 0, even_warp_instructions = 0;
  u64 busiest_block_instructions = 0;

  BusiestUse busiest;  ///< of all blocks

  /// Single-warp dependency time: cycles that the slowest sampled block needs when it runs alone on an SM,
  /// with loads that miss L1 answered by L2 (first) or by DRAM (second). See timing/scoreboard.h.
  double block_cycles_l2 = 0, block_cycles_dram = 0;
  /// The same of the longest block that was not sampled and does more than the sampled ones, by the pace of a
  /// part of it.
  double longest_cycles_l2 = 0, longest_cycles_dram = 0;

  std::vector<InstructionCounters> per_instruction;  ///< parallel to Function::info
  std::vector<PeerBytes>
      peers;  ///< by the number of the other GPU; empty where no memory of others was touched
};

/// What the threads of the host count while they run blocks, each into KernelCounters of its own.
inline constexpr u64 KernelCounters::*kCountedSums[] = {&KernelCounters::global_load_requests,
                                                        &KernelCounters::global_store_requests,
                                                        &KernelCounters::atomic_requests,
                                                        &KernelCounters::global_load_bytes,
                                                        &KernelCounters::global_store_bytes,
                                                        &KernelCounters::global_load_sectors,
                                                        &KernelCounters::global_store_sectors,
                                                        &KernelCounters::atomic_sectors,
                                                        &KernelCounters::ideal_sectors,
                                                        &KernelCounters::global_lines,
                                                        &KernelCounters::global_passes,
                                                        &KernelCounters::global_transfers,
                                                        &KernelCounters::l1_hit_sectors,
                                                        &KernelCounters::l1_miss_sectors,
                                                        &KernelCounters::local_requests,
                                                        &KernelCounters::local_sectors,
                                                        &KernelCounters::atomic_lanes,
                                                        &KernelCounters::atomic_float_lanes,
                                                        &KernelCounters::atomic_met_sectors,
                                                        &KernelCounters::atomic_sector_words,
                                                        &KernelCounters::atomic_more_turns,
                                                        &KernelCounters::atomic_more_turns_64,
                                                        &KernelCounters::shared_loop_passes,
                                                        &KernelCounters::shared_requests,
                                                        &KernelCounters::shared_wavefronts,
                                                        &KernelCounters::ideal_shared_wavefronts,
                                                        &KernelCounters::barriers,
                                                        &KernelCounters::divergent_branches,
                                                        &KernelCounters::busiest_warp_instructions,
                                                        &KernelCounters::even_warp_instructions};
/// What derive_sums makes of the counts of instructions, as it does pipe_warps and flops.
inline constexpr u64 KernelCounters::*kDerivedSums[] = {
    &KernelCounters::warp_instructions, &KernelCounters::lane_instructions,
    &KernelCounters::issue_slots,       &KernelCounters::three_register_fma,
    &KernelCounters::branches,          &KernelCounters::tensor_operations};
/// What L2 has seen when the launch ends.
inline constexpr u64 KernelCounters::*kTrafficSums[] = {
    &KernelCounters::l2_read_sectors,  &KernelCounters::l2_write_sectors, &KernelCounters::l2_hit_sectors,
    &KernelCounters::dram_read_bytes,  &KernelCounters::dram_write_bytes, &KernelCounters::host_read_bytes,
    &KernelCounters::host_write_bytes, &KernelCounters::peer_read_bytes,  &KernelCounters::peer_write_bytes};
/// Of several, the largest counts.
inline constexpr u64 KernelCounters::*kMaxima[] = {&KernelCounters::atomic_slice_turns_max,
                                                   &KernelCounters::atomic_same_address_max,
                                                   &KernelCounters::busiest_block_instructions};

/// Whether the lists hold as many numbers as there are, and none twice.
consteval bool counters_are_listed_once() {
  std::vector<u64 KernelCounters::*> all;
  for (const auto list :
       {std::span<u64 KernelCounters::*const>(kCountedSums),
        std::span<u64 KernelCounters::*const>(kDerivedSums),
        std::span<u64 KernelCounters::*const>(kTrafficSums), std::span<u64 KernelCounters::*const>(kMaxima)})
    for (const auto number : list) {
      for (const auto known : all)
        if (known == number) return false;
      all.push_back(number);
    }
  const size_t first = offsetof(KernelCounters, warp_instructions), end = offsetof(KernelCounters, busiest);
  return all.size() == (end - first) / sizeof(u64);
}
static_assert(counters_are_listed_once(), "list a new counter above, by who counts it");

/// What the launch asked of an SM; occupancy follows from it.
struct KernelResources {
  u32 registers = 0;                 ///< a thread
  bool registers_estimated = false;  ///< no ELF for the device: of another's, or from liveness
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
