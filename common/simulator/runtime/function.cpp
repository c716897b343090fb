// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Kernels: launches by function address, attributes, occupancy.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "simulator/runtime/launch.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

/// Runs `body(runtime, kernel)` for a kernel whose facts are known.
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

int as_int(u64 value) { return static_cast<int>(std::min<u64>(value, 0x7fffffff)); }

/// Threads of the largest block that the kernel's registers and bounds allow.
u32 max_threads(const Kernel& kernel, const DeviceDescription& device) {
  const auto& resources = kernel.facts.resources;
  u32 threads = resources.max_threads ? resources.max_threads : device.max_threads_per_block;
  if (resources.registers) {
    const u32 warps = device.registers_per_sm / (resources.registers * kWarpSize);
    threads = std::min(threads, std::max(1u, warps) * kWarpSize);
  }
  return threads;
}

cudaError_t set_attribute(Runtime& r, Kernel& kernel, cudaFuncAttribute attribute, int value) {
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize: {
      const u64 limit = r.device().shared_per_block_optin, fixed = kernel.facts.resources.static_shared_bytes;
      if (value < 0 || static_cast<u64>(value) + fixed > limit) return cudaErrorInvalidValue;
      const Status status =
          r.connection().call(SetMaxDynamicShared{kernel.facts.id, static_cast<u64>(value)});
      if (status == Status::kOk) kernel.max_dynamic_shared = static_cast<u64>(value);
      return to_cuda(status);
    }
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      kernel.carveout = value;  // a hint; the model gives L1 what shared memory leaves
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                             cudaStream_t stream) {
  return launch({function, grid, block, arguments, shared, stream, false});
}
ROOFLINE_EXPORT cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block,
                                                  void** arguments, size_t shared, cudaStream_t stream) {
  return launch({function, grid, block, arguments, shared, per_thread(stream), false});
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared, cudaStream_t stream) {
  return launch({function, grid, block, arguments, shared, stream, true});
}
ROOFLINE_EXPORT cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* function, dim3 grid, dim3 block,
                                                             void** arguments, size_t shared,
                                                             cudaStream_t stream) {
  return launch({function, grid, block, arguments, shared, per_thread(stream), true});
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (!config) return remember(cudaErrorInvalidValue);
  bool cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) cooperative = attribute.val.cooperative != 0;
    const auto& cluster = attribute.val.clusterDim;
    if (attribute.id == cudaLaunchAttributeClusterDimension && cluster.x * cluster.y * cluster.z > 1)
      return remember(cudaErrorNotSupported);
  }
  return launch({function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                 config->stream, cooperative});
}
ROOFLINE_EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function,
                                                     void** arguments) {
  if (!config) return remember(cudaErrorInvalidValue);
  cudaLaunchConfig_t mine = *config;
  mine.stream = per_thread(mine.stream);
  return cudaLaunchKernelExC(&mine, function, arguments);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  if (!attributes) return remember(cudaErrorInvalidValue);
  return with_kernel(function, [&](Runtime& r, Kernel& kernel) {
    const auto& resources = kernel.facts.resources;
    *attributes = {};
    attributes->sharedSizeBytes = resources.static_shared_bytes;
    attributes->localSizeBytes = resources.local_bytes;
    attributes->maxThreadsPerBlock = as_int(max_threads(kernel, r.device()));
    attributes->numRegs = as_int(resources.registers);
    attributes->ptxVersion = as_int(kernel.module->target);  // the virtual architecture, 80 for compute_80
    attributes->binaryVersion = as_int(r.device().compute_major * 10 + r.device().compute_minor);
    attributes->maxDynamicSharedSizeBytes = as_int(dynamic_shared_limit(kernel, r.device()));
    attributes->preferredShmemCarveout = kernel.carveout;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_kernel(function,
                     [&](Runtime& r, Kernel& kernel) { return set_attribute(r, kernel, attribute, value); });
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int device) {
  if (device != 0) return remember(cudaErrorInvalidDevice);
  return cudaFuncSetAttribute(kernel, attribute, value);
}
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache config) {
  if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
    return remember(cudaErrorInvalidValue);
  return with_kernel(function, [](Runtime&, Kernel&) { return cudaSuccess; });
}
cudaError_t cudaFuncGetName(const char** name, const void* function) {
  if (!name) return remember(cudaErrorInvalidValue);
  return with_kernel(function, [&](Runtime&, Kernel& kernel) {
    *name = kernel.name.c_str();
    return cudaSuccess;
  });
}
cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* size) {
  return with_kernel(function, [&](Runtime&, Kernel& kernel) {
    if (!offset || index >= kernel.facts.parameter_sizes.size()) return cudaErrorInvalidValue;
    *offset = kernel.facts.parameter_offsets[index];
    if (size) *size = kernel.facts.parameter_sizes[index];
    return cudaSuccess;
  });
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  if (!function) return remember(cudaErrorInvalidValue);
  return with_kernel(symbol, [&](Runtime&, Kernel& kernel) {
    *function = reinterpret_cast<cudaFunction_t>(&kernel);
    return cudaSuccess;
  });
}
cudaError_t cudaGetKernel(cudaKernel_t* handle, const void* symbol) {
  if (!handle) return remember(cudaErrorInvalidValue);
  return with_kernel(symbol, [&](Runtime&, Kernel& kernel) {
    *handle = reinterpret_cast<cudaKernel_t>(&kernel);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int block_size, size_t shared,
                                                                   unsigned flags) {
  if (!blocks || block_size <= 0 || (flags & ~static_cast<unsigned>(cudaOccupancyDisableCachingOverride)))
    return remember(cudaErrorInvalidValue);
  return with_kernel(function, [&](Runtime& r, Kernel& kernel) {
    u32 found = 0;
    const cudaError_t error =
        blocks_per_sm(r, kernel, dim3(static_cast<unsigned>(block_size)), shared, found);
    const bool possible = static_cast<u32>(block_size) <= max_threads(kernel, r.device());
    *blocks = possible ? as_int(found) : 0;
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
    const u64 share = d.shared_per_sm / static_cast<u64>(blocks) & ~u64{127};
    const u64 taken = d.shared_reserved_per_block + kernel.facts.resources.static_shared_bytes;
    const u64 left = share > taken ? share - taken : 0;
    *bytes = std::min(left, dynamic_shared_limit(kernel, d));
    return cudaSuccess;
  });
}
