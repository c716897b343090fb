// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Kernels: launches by function address, attributes.
#include "simulator/runtime/kernel_use.h"
#include "simulator/runtime/launch_attributes.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

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
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
      if (value < 0 || !has_clusters(r.device())) return cudaErrorInvalidValue;
      kernel.required_cluster[attribute - cudaFuncAttributeRequiredClusterWidth] = static_cast<u32>(value);
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      if ((value != 0 && value != 1) || !has_clusters(r.device())) return cudaErrorInvalidValue;
      kernel.non_portable_cluster = value == 1;
      return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      if (value < cudaClusterSchedulingPolicyDefault || value > cudaClusterSchedulingPolicyLoadBalancing)
        return cudaErrorInvalidValue;
      kernel.cluster_policy = value;  // a hint
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
  LaunchWishes wishes;
  const cudaError_t error = api([&](Runtime& r) { return read_attributes(r, *config, wishes); });
  if (error != cudaSuccess) return error;
  return launch({function,
                 config->gridDim,
                 config->blockDim,
                 arguments,
                 config->dynamicSmemBytes,
                 config->stream,
                 wishes.cooperative,
                 wishes.cluster,
                 {wishes.after_start, wishes.after_end},
                 wishes.priority});
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
    attributes->cacheModeCA = 1;  // global loads are cached in L1, as nvcc asks for
    attributes->requiredClusterWidth = as_int(kernel.required_cluster[0]);
    attributes->requiredClusterHeight = as_int(kernel.required_cluster[1]);
    attributes->requiredClusterDepth = as_int(kernel.required_cluster[2]);
    attributes->clusterSchedulingPolicyPreference = kernel.cluster_policy;
    attributes->nonPortableClusterSizeAllowed = kernel.non_portable_cluster;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_kernel(function,
                     [&](Runtime& r, Kernel& kernel) { return set_attribute(r, kernel, attribute, value); });
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int device) {
  return api([&](Runtime& r) {
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    r.aim(device);
    Kernel* found = r.modules.find_kernel(kernel);
    if (!found) return cudaErrorInvalidResourceHandle;
    const cudaError_t error = r.modules.resolve(*found, r.connection());
    return error == cudaSuccess ? set_attribute(r, *found, attribute, value) : error;
  });
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
