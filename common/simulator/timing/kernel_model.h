// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <vector>

#include "simulator/program/counters.h"
#include "simulator/timing/device_description.h"
#include "simulator/timing/device_share.h"
#include "simulator/timing/replay_memory.h"

namespace roofline::sim {

/// Blocks of this shape that fit on one SM at a time, and what limits them. `grid_blocks` 0: the grid is no
/// limit.
Occupancy occupancy(const DeviceDescription& device, const KernelResources& resources, Dim3 block,
                    u64 grid_blocks);

/// Operations of this type that mma.sync and wmma do a clock of the SMs (not of the Tensor Cores) and SM; 0
/// for types of other pipes and those that the card has not.
double mma_sync_rate(const DeviceDescription& device, FlopType type);

/// Clocks until the result of a matrix instruction of so many operations is there: the device's latency is
/// that of one that keeps a Tensor Core busy for as long as m16n8k16 of halves; half the work takes two
/// thirds of it (m16n8k8 on an H200: 21 of 31 clocks).
double tensor_latency(const DeviceDescription& device, FlopType type, double flops);

/// Clocks of L1's data path: a pass takes as long as a wavefront of shared memory, whose banks it has, and a
/// transfer to or from lanes as long as its 128 bytes. Requests with bank conflicts take many passes for few
/// transfers; of the others, the transfers take longer where L1 gives less than 128 bytes a clock.
double data_path_clocks(const DeviceDescription& device, double passes, double transfers);

/// Modelled execution time of one kernel, excluding launch overheads (see timeline.h).
struct KernelTime {
  double seconds = 0;
  struct Bound {
    std::string resource;  ///< "DRAM", "L2", "link", "L1", "shared", "issue", "FMA", "ALU", "SFU", "FP64",
                           ///< "tensor", "latency", "atomics"
    double seconds = 0;
  };
  std::vector<Bound> bounds;  ///< every resource, slowest first
  DeviceShare share;          ///< while it runs; its block slots are the caller's matter
  /// Of the seconds, what the average warp does with them by the replay: in the whole kernel, and in each
  /// instruction (ReplayOutcome::stalls_of). Empty without records.
  StallTimes stalls;
  std::vector<StallTimes> stalls_of;
  const std::string& limiter() const { return bounds.front().resource; }
};

/// The longer of all bounds joined by the p-norm of overlap_exponent, and the replay of `records` on one SM
/// with its share of L2 and DRAM (timing/sm_replay.h, timing/shared_queue.h), in proportion to what the
/// average block does. Without records the block's dependency time is taken for the replay, joined by
/// latency_exponent. Each bound's formula is in kernel_model.cpp and docs/simulator-model.md. `memory`: of
/// earlier launches on the device. `cycles_in_time`: until the last of blocks that wait for each other ended,
/// which is never earlier.
KernelTime model_kernel(const DeviceDescription& device, const KernelCounters& counters,
                        const KernelResources& resources, Dim3 grid, Dim3 block,
                        std::span<const BlockRecord> records = {}, ReplayMemory* memory = nullptr,
                        double cycles_in_time = 0);

}  // namespace roofline::sim
