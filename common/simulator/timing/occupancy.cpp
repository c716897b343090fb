// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulator/timing/kernel_model.h"

namespace roofline::sim {
namespace {

constexpr u32 kSubPartitions = 4;   ///< of an SM, each with a quarter of the registers
constexpr u32 kMaxRegisters = 255;  ///< a thread
constexpr u32 kNamedBarriersPerBlock = 16;

u64 round_up(u64 value, u64 unit) { return (value + unit - 1) / unit * unit; }

/// Registers are given to warps in units; a warp stays in its sub-partition.
u64 register_limit(const DeviceDescription& device, u32 registers, u64 warps) {
  if (registers > kMaxRegisters) return 0;
  const u64 per_warp = round_up(u64{registers} * kWarpSize, device.register_allocation_unit);
  if (per_warp == 0) return device.max_blocks_per_sm;
  return device.registers_per_sm / kSubPartitions / per_warp * kSubPartitions / warps;
}

u64 shared_limit(const DeviceDescription& device, const KernelResources& resources) {
  const u64 asked = resources.static_shared_bytes + resources.dynamic_shared_bytes;
  if (asked > device.shared_per_block_optin) return 0;
  const u64 unit = device.compute_major >= 8 ? 128 : 256;
  const u64 per_block = round_up(asked + device.shared_reserved_per_block, unit);
  return per_block == 0 ? device.max_blocks_per_sm : device.shared_per_sm / per_block;
}

/// From compute capability 9.0 on the occupancy calculator counts barriers: two for each block slot of an SM,
/// one from 12.0 on.
u64 barrier_limit(const DeviceDescription& device, u32 barriers) {
  if (barriers > kNamedBarriersPerBlock) return 0;
  if (barriers == 0 || device.compute_major < 9) return device.max_blocks_per_sm;
  const u64 per_slot = device.compute_major >= 12 ? 1 : 2;
  return per_slot * device.max_blocks_per_sm / barriers;
}

}  // namespace

Occupancy occupancy(const DeviceDescription& device, const KernelResources& resources, Dim3 block,
                    u64 grid_blocks) {
  Occupancy result;
  const u64 threads = block.count();
  const u64 warps = (threads + kWarpSize - 1) / kWarpSize;
  if (threads == 0 || threads > device.max_threads_per_block) {
    result.limiter = "warps";
    return result;
  }
  struct Limit {
    u64 blocks;
    const char* name;
  };
  const u64 on_the_device = (grid_blocks + device.sms - 1) / device.sms;
  const Limit limits[] = {
      {std::min(device.max_warps_per_sm / warps, device.max_threads_per_sm / round_up(threads, kWarpSize)),
       "warps"},
      {device.max_blocks_per_sm, "blocks"},
      {register_limit(device, resources.registers, warps), "registers"},
      {shared_limit(device, resources), "shared memory"},
      {barrier_limit(device, resources.barriers), "barriers"},
      {grid_blocks == 0 ? device.max_blocks_per_sm : on_the_device, "grid"},
  };
  const Limit* tightest =
      std::min_element(std::begin(limits), std::end(limits),
                       [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });
  result.blocks_per_sm = static_cast<u32>(tightest->blocks);
  result.warps_per_sm = static_cast<u32>(tightest->blocks * warps);
  result.fraction = static_cast<double>(result.warps_per_sm) / device.max_warps_per_sm;
  result.limiter = tightest->name;
  return result;
}

}  // namespace roofline::sim
