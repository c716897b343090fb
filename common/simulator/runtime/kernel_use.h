// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "simulator/runtime/launch.h"
#include "simulator/timing/device_attributes.h"

namespace roofline::sim::runtime {

/// What a launch of something that is no kernel gives: an address that is not a host stub is taken for a
/// handle.
inline cudaError_t no_such_kernel(const void* function) {
  return function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction;
}

/// Runs `body(runtime, kernel)` for a kernel whose facts on the thread's device are known.
template <class Body>
cudaError_t with_kernel(const void* function, Body&& body) {
  return api([&](Runtime& r) {
    Kernel* kernel = r.modules.find_kernel(function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (const cudaError_t error = r.modules.resolve(*kernel, r.connection()); error != cudaSuccess)
      return error;
    return body(r, *kernel);
  });
}

inline int as_int(u64 value) { return static_cast<int>(std::min<u64>(value, 0x7fffffff)); }

/// Threads of the largest block that the kernel's registers and bounds allow.
inline u32 max_threads(const Kernel& kernel, const DeviceDescription& device) {
  const auto& resources = kernel.facts.resources;
  const u32 threads = most_threads(device, resources.registers);
  return resources.max_threads ? std::min(threads, resources.max_threads) : threads;
}

/// Clusters came with compute capability 9.0.
inline bool has_clusters(const DeviceDescription& device) { return device.compute_major >= 9; }
/// Blocks of the largest cluster: of any such device, and where a kernel allows what is not portable.
inline constexpr u32 kPortableCluster = 8, kLargestCluster = 16;

}  // namespace roofline::sim::runtime
