// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/kernel_use.h"
#include "simulator/runtime/launch_attributes.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int block_size, size_t shared,
                                                                   unsigned flags) {
  if (!blocks || block_size <= 0 || (flags & ~static_cast<unsigned>(cudaOccupancyDisableCachingOverride)))
    return remember(cudaErrorInvalidValue);
  return with_kernel(function, [&](Runtime& r, Kernel& kernel) {
    // Launch bounds do not count here, though a launch beyond them is refused.
    u32 found = 0;
    const cudaError_t error =
        blocks_per_sm(r, kernel, dim3(static_cast<unsigned>(block_size)), shared, found);
    *blocks = as_int(found);
    return error;
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_size,
                                                          size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                      int block_size) {
  if (!bytes || blocks <= 0 || block_size <= 0) return remember(cudaErrorInvalidValue);
  return with_kernel(function, [&](Runtime& r, Kernel& kernel) {
    const DeviceDescription& d = r.device();
    // What the system reserves for each block is not subtracted, so that many bytes less do fit.
    const u64 share = d.shared_per_sm / static_cast<u64>(blocks) & ~u64{127};
    const u64 taken = kernel.facts.resources.static_shared_bytes;
    const u64 left = share > taken ? share - taken : 0;
    *bytes = std::min(left, dynamic_shared_limit(kernel, d));
    return cudaSuccess;
  });
}

namespace {

/// Runs `body(wishes, blocks that the whole device holds)` for a launch configuration.
template <class Body>
cudaError_t with_configuration(const void* function, const cudaLaunchConfig_t* config, Body&& body) {
  return with_kernel(function, [&](Runtime& r, Kernel& kernel) {
    if (!has_clusters(r.device())) return cudaErrorNotSupported;
    LaunchWishes wishes;
    if (const cudaError_t error = read_attributes(r, *config, wishes); error != cudaSuccess) return error;
    u32 blocks = 0;
    const cudaError_t error = blocks_per_sm(r, kernel, config->blockDim, config->dynamicSmemBytes, blocks);
    return error == cudaSuccess ? body(kernel, wishes, u64{blocks} * r.device().sms) : error;
  });
}

}  // namespace

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  if (!blocks || !config) return remember(cudaErrorInvalidValue);
  return with_configuration(function, config, [&](const Kernel& kernel, const LaunchWishes&, u64 resident) {
    const u32 limit = kernel.non_portable_cluster ? kLargestCluster : kPortableCluster;
    *blocks = as_int(std::min<u64>(limit, resident));
    return cudaSuccess;
  });
}

/// The model's SMs are one pool: clusters are not held together by processing clusters as in hardware.
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  if (!clusters || !config) return remember(cudaErrorInvalidValue);
  return with_configuration(function, config,
                            [&](const Kernel& kernel, const LaunchWishes& wishes, u64 resident) {
                              const u64 asked = u64{wishes.cluster.x} * wishes.cluster.y * wishes.cluster.z;
                              const u64 size = asked ? asked : 1;
                              if (size > (kernel.non_portable_cluster ? kLargestCluster : kPortableCluster))
                                return cudaErrorInvalidClusterSize;
                              *clusters = as_int(resident / size);
                              return cudaSuccess;
                            });
}
