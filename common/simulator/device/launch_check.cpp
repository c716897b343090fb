// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/device/launch_check.h"

#include <algorithm>

#include "simulator/machine/cluster.h"

namespace roofline::sim {

namespace {

std::string text(u64 value) { return std::to_string(value); }

std::string shape_problem(const DeviceDescription& device, const Launch& launch) {
  const Dim3 grid = launch.grid, block = launch.block;
  if (grid.count() == 0 || block.count() == 0) return "a grid or block extent is 0";
  if (block.x > 1024 || block.y > 1024 || block.z > 64)
    return "a block may be 1024 x 1024 x 64, not " + text(block.x) + " x " + text(block.y) + " x " +
           text(block.z);
  if (block.count() > device.max_threads_per_block)
    return text(block.count()) + " threads a block; the device allows " + text(device.max_threads_per_block);
  if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535)
    return "a grid may be 2147483647 x 65535 x 65535, not " + text(grid.x) + " x " + text(grid.y) + " x " +
           text(grid.z);
  return "";
}

/// Blocks of a cluster; more than 8 need an attribute of the function, which is the runtime's to check.
constexpr u64 kLargestCluster = 16;

std::string cluster_problem(const DeviceDescription& device, const Kernel& kernel, const Launch& launch) {
  const Dim3 cluster = cluster_of(kernel, launch), compiled = kernel.cluster, grid = launch.grid;
  if (cluster.count() == 0) return "";
  const std::string shape = text(cluster.x) + " x " + text(cluster.y) + " x " + text(cluster.z);
  if (device.compute_major < 9 && cluster.count() > 1)
    return "clusters of " + shape + " blocks; this device has no clusters (compute capability 9.0 has)";
  if (compiled.count() != 0 &&
      (compiled.x != cluster.x || compiled.y != cluster.y || compiled.z != cluster.z))
    return "clusters of " + shape + " blocks; the kernel was compiled for " + text(compiled.x) + " x " +
           text(compiled.y) + " x " + text(compiled.z);
  if (cluster.count() > kLargestCluster)
    return "clusters of " + text(cluster.count()) + " blocks; " + text(kLargestCluster) + " are allowed";
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return "a grid of " + text(grid.x) + " x " + text(grid.y) + " x " + text(grid.z) +
           " blocks is not a multiple of the cluster, " + shape;
  return "";
}

/// Of a thread, so that one block of so many warps fits into the sub-partitions of an SM.
u32 most_registers(const DeviceDescription& device, u64 threads) {
  constexpr u64 kSubPartitions = 4;
  const u64 warps = (threads + kWarpSize - 1) / kWarpSize;
  const u64 in_one = std::max<u64>((warps + kSubPartitions - 1) / kSubPartitions, 1);
  const u64 unit = std::max<u64>(device.register_allocation_unit, 1);
  return static_cast<u32>(device.registers_per_sm / kSubPartitions / in_one / unit * unit / kWarpSize);
}

}  // namespace

KernelResources resources_of(const DeviceDescription& device, const Kernel& kernel, Dim3 block,
                             u64 dynamic_shared_bytes) {
  KernelResources resources = kernel.resources;
  resources.dynamic_shared_bytes = dynamic_shared_bytes;
  if (resources.registers_estimated)
    resources.registers = std::min(resources.registers, most_registers(device, block.count()));
  return resources;
}

std::string launch_problem(const DeviceDescription& device, const Kernel& kernel, const Launch& launch) {
  if (!kernel.problem.empty()) return kernel.problem;
  if (std::string problem = shape_problem(device, launch); !problem.empty()) return problem;
  if (std::string problem = cluster_problem(device, kernel, launch); !problem.empty()) return problem;
  const KernelResources resources = resources_of(device, kernel, launch.block, launch.dynamic_shared_bytes);
  const u64 threads = launch.block.count();
  const u64 shared = resources.static_shared_bytes + launch.dynamic_shared_bytes;
  const u64 allowed =
      std::max<u64>(device.shared_per_block, resources.static_shared_bytes + kernel.max_dynamic_shared);
  if (shared > allowed)
    return text(shared) + " bytes of shared memory a block; " + text(allowed) + " are allowed" +
           (shared <= device.shared_per_block_optin ? ", more after cudaFuncSetAttribute(..., "
                                                      "cudaFuncAttributeMaxDynamicSharedMemorySize, ...)"
                                                    : "");
  if (resources.max_threads != 0 && threads > resources.max_threads)
    return text(threads) + " threads a block; the kernel was compiled for at most " +
           text(resources.max_threads);
  if (launch.parameters.size() < kernel.parameter_bytes)
    return text(launch.parameters.size()) + " bytes of parameters; the kernel takes " +
           text(kernel.parameter_bytes);
  const Occupancy fits = occupancy(device, resources, launch.block, 0);
  if (fits.blocks_per_sm == 0) return "too many resources requested for launch: " + fits.limiter;
  if (launch.cooperative && launch.grid.count() > u64{fits.blocks_per_sm} * device.sms)
    return "a cooperative launch of " + text(launch.grid.count()) + " blocks; at most " +
           text(u64{fits.blocks_per_sm} * device.sms) + " are resident at once";
  return "";
}

}  // namespace roofline::sim
