// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The device: there is exactly one. Its properties and attributes are in device_attributes.cpp.
#include <cstdio>

#include "simulator/runtime/capture.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

/// The CUDA version that this library stands in for.
constexpr int kCudaVersion = 13000;

constexpr unsigned kDeviceFlags = cudaDeviceMask;

cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return api([&](Runtime& r) {
    if (!count) return cudaErrorInvalidValue;
    r.connection();
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  if (!device) return remember(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return api([&](Runtime& r) {
    r.connection();  // initialises the device, as since CUDA 12
    return check_device(device);
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) { return cudaSetDevice(device); }

cudaError_t cudaSetValidDevices(int* devices, int n) {
  if (n < 0 || (n > 0 && !devices)) return remember(cudaErrorInvalidValue);
  for (int i = 0; i < n; i++)
    if (devices[i] != 0) return remember(cudaErrorInvalidDevice);
  return cudaSuccess;
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  if (!device || !wanted) return remember(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return api([&](Runtime& r) {
    if (flags & ~kDeviceFlags) return cudaErrorInvalidValue;
    r.device_flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api([&](Runtime& r) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = r.device_flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api([](Runtime& r) {
    if (const cudaError_t error = synchronizes_device(r); error != cudaSuccess) return error;
    const Status status = r.connection().call(Synchronize{});
    r.connection().show_output();
    return to_cuda(status);
  });
}

/// Works after a fault too, and clears it.
cudaError_t cudaDeviceReset() {
  Runtime& runtime = Runtime::instance();
  std::lock_guard guard(runtime.lock);
  try {
    if (!runtime.forked) runtime.reset();
  } catch (const ConnectionLost& lost) {
    return remember(connection_error(lost));
  }
  last_error() = cudaSuccess;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api([&](Runtime& r) {
    switch (limit) {
      case cudaLimitStackSize:
        r.stack_bytes = value;
        return to_cuda(r.connection().call(SetLimit{SetLimit::Limit::kStack, value}));
      case cudaLimitMallocHeapSize:
        r.heap_bytes = value;
        return to_cuda(r.connection().call(SetLimit{SetLimit::Limit::kHeap, value}));
      case cudaLimitPrintfFifoSize:
        r.printf_bytes = value;
        return cudaSuccess;  // the machine keeps all output
      case cudaLimitMaxL2FetchGranularity:
      case cudaLimitPersistingL2CacheSize:
        return cudaSuccess;  // hints
      default:
        return cudaErrorUnsupportedLimit;
    }
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return api([&](Runtime& r) {
    if (!value) return cudaErrorInvalidValue;
    switch (limit) {
      case cudaLimitStackSize:
        *value = r.stack_bytes;
        return cudaSuccess;
      case cudaLimitMallocHeapSize:
        *value = r.heap_bytes;
        return cudaSuccess;
      case cudaLimitPrintfFifoSize:
        *value = r.printf_bytes;
        return cudaSuccess;
      case cudaLimitMaxL2FetchGranularity:
        *value = 64;
        return cudaSuccess;
      case cudaLimitPersistingL2CacheSize:
        *value = 0;
        return cudaSuccess;
      default:
        return cudaErrorUnsupportedLimit;
    }
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return api([&](Runtime& r) {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    r.cache_config = config;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api([&](Runtime& r) {
    if (!config) return cudaErrorInvalidValue;
    *config = r.cache_config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int bytes, int device) {
  if (!id || bytes < 13) return remember(cudaErrorInvalidValue);
  if (device != 0) return remember(cudaErrorInvalidDevice);
  std::snprintf(id, static_cast<size_t>(bytes), "0000:01:00.0");
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (!device || !id) return remember(cudaErrorInvalidValue);
  unsigned domain = 0, bus = 0, slot = 0;
  const bool full = std::sscanf(id, "%x:%x:%x", &domain, &bus, &slot) == 3;
  if (!full || domain != 0 || bus != 1 || slot != 0) return remember(cudaErrorInvalidDevice);
  *device = 0;
  return cudaSuccess;
}

// One device has no peers.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!can) return remember(cudaErrorInvalidValue);
  if (device != 0 || peer != 0) return remember(cudaErrorInvalidDevice);
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return remember(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return remember(cudaErrorInvalidDevice); }

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (!version) return remember(cudaErrorInvalidValue);
  *version = kCudaVersion;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

// Bank size has not been configurable since compute capability 5.0.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  if (!config) return remember(cudaErrorInvalidValue);
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}
cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) { return cudaSuccess; }

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
