// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Functions of modules: attributes, occupancy.
#include <algorithm>

#include "simulator/driver/launch_config.h"
#include "simulator/driver/modules.h"
#include "simulator/runtime/kernel_use.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

/// An attribute that cudaFuncAttributes holds; false when there is none of that name.
bool read(const cudaFuncAttributes& a, CUfunction_attribute attribute, int& value) {
  switch (attribute) {
#define FIELD(name, field)             \
  case CU_FUNC_ATTRIBUTE_##name:       \
    value = static_cast<int>(a.field); \
    return true;
    FIELD(MAX_THREADS_PER_BLOCK, maxThreadsPerBlock)
    FIELD(SHARED_SIZE_BYTES, sharedSizeBytes)
    FIELD(CONST_SIZE_BYTES, constSizeBytes)
    FIELD(LOCAL_SIZE_BYTES, localSizeBytes)
    FIELD(NUM_REGS, numRegs)
    FIELD(PTX_VERSION, ptxVersion)
    FIELD(BINARY_VERSION, binaryVersion)
    FIELD(CACHE_MODE_CA, cacheModeCA)
    FIELD(MAX_DYNAMIC_SHARED_SIZE_BYTES, maxDynamicSharedSizeBytes)
    FIELD(PREFERRED_SHARED_MEMORY_CARVEOUT, preferredShmemCarveout)
    FIELD(CLUSTER_SIZE_MUST_BE_SET, clusterDimMustBeSet)
    FIELD(REQUIRED_CLUSTER_WIDTH, requiredClusterWidth)
    FIELD(REQUIRED_CLUSTER_HEIGHT, requiredClusterHeight)
    FIELD(REQUIRED_CLUSTER_DEPTH, requiredClusterDepth)
    FIELD(NON_PORTABLE_CLUSTER_SIZE_ALLOWED, nonPortableClusterSizeAllowed)
    FIELD(CLUSTER_SCHEDULING_POLICY_PREFERENCE, clusterSchedulingPolicyPreference)
#undef FIELD
    default:
      return false;
  }
}

}  // namespace

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return in_context([&] {
    cudaFuncAttributes attributes{};
    if (!value) return cudaErrorInvalidValue;
    const cudaError_t error = cudaFuncGetAttributes(&attributes, symbol_of(function));
    if (error != cudaSuccess) return error;
    return read(attributes, attribute, *value) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return in_context([&] {
    return cudaFuncSetAttribute(symbol_of(function), static_cast<cudaFuncAttribute>(attribute), value);
  });
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return in_context(
      [&] { return cudaFuncSetCacheConfig(symbol_of(function), static_cast<cudaFuncCache>(config)); });
}
CUresult cuFuncSetSharedMemConfig(CUfunction, CUsharedconfig) {
  return in_context([] { return CUDA_SUCCESS; });
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  return in_context([&] { return cudaFuncGetName(name, symbol_of(function)); });
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* size) {
  return in_context([&] { return cudaFuncGetParamInfo(symbol_of(function), index, offset, size); });
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  return in_context([&] {
    return runtime::with_kernel(symbol_of(function), [&](runtime::Runtime&, runtime::Kernel& kernel) {
      if (!module) return cudaErrorInvalidValue;
      *module = reinterpret_cast<CUmodule>(kernel.module);
      return cudaSuccess;
    });
  });
}
CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return in_context([&] {
    if (!state) return cudaErrorInvalidValue;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return runtime::with_kernel(symbol_of(function),
                                [](runtime::Runtime&, runtime::Kernel&) { return cudaSuccess; });
  });
}
CUresult cuFuncLoad(CUfunction function) {
  CUfunctionLoadingState ignored{};
  return cuFuncIsLoaded(&ignored, function);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block_size,
                                                     size_t shared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size, shared, 0);
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function,
                                                              int block_size, size_t shared, unsigned flags) {
  return in_context([&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, symbol_of(function), block_size,
                                                                  shared, flags);
  });
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks,
                                                 int block_size) {
  return in_context([&] {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, symbol_of(function), blocks, block_size);
  });
}

/// The smallest grid that fills the device with the block size that holds the most threads, the larger of
/// equals: what the runtime's header computes.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared, int limit,
                                                   unsigned flags) {
  return in_context([&] {
    if (!grid || !block) return CUDA_ERROR_INVALID_VALUE;
    int most = 0, sms = 0;
    CUresult result = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    if (result == CUDA_SUCCESS)
      result =
          cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, current_context()->device);
    if (limit > 0) most = std::min(most, limit);
    constexpr int kWarp = 32;
    int best = 0;
    for (int size = (most + kWarp - 1) / kWarp * kWarp; size > 0 && result == CUDA_SUCCESS; size -= kWarp) {
      const int threads = std::min(size, most);
      int blocks = 0;
      result = cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
          &blocks, function, threads, shared_of ? shared_of(threads) : shared, flags);
      if (blocks * threads <= best) continue;
      best = blocks * threads;
      *block = threads;
      *grid = blocks * sms;
    }
    return result;
  });
}
CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, shared, limit, 0);
}
CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction function, const CUlaunchConfig* config) {
  return in_context([&] {
    if (!config) return cudaErrorInvalidValue;
    const cudaLaunchConfig_t same = runtime_config(*config);
    return cudaOccupancyMaxPotentialClusterSize(size, symbol_of(function), &same);
  });
}
CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function, const CUlaunchConfig* config) {
  return in_context([&] {
    if (!config) return cudaErrorInvalidValue;
    const cudaLaunchConfig_t same = runtime_config(*config);
    return cudaOccupancyMaxActiveClusters(clusters, symbol_of(function), &same);
  });
}
