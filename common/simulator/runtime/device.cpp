// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The devices: one, or as many equal ones as the session was started with. Their properties and attributes
// are in device_attributes.cpp, what they do for each other in peer.cpp.
#include <algorithm>
#include <cstdio>

#include "simulator/runtime/capture.h"
#include "simulator/timing/device_attributes.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

/// The CUDA version that this library stands in for.
constexpr int kCudaVersion = 13000;

constexpr unsigned kDeviceFlags = cudaDeviceMask;

/// How much of L2 can be set aside for lines that are to persist; 0: the device cannot.
u64 most_persisting(Runtime& r) {
  return static_cast<u64>(attributes_of(r.device(), 0)[cudaDevAttrMaxPersistingL2CacheSize]);
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return locked([&](Runtime& r) {
    if (!count) return cudaErrorInvalidValue;
    *count = r.device_count();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return locked([&](Runtime& r) {
    if (!device) return cudaErrorInvalidValue;
    *device = r.target();
    return cudaSuccess;
  });
}

/// Also away from a device that has faulted.
cudaError_t cudaSetDevice(int device) {
  return locked([&](Runtime& r) {
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    current_device() = {device, nullptr, true};
    r.settings(device).active = true;
    r.aim(device);
    return to_cuda(r.connection().sticky());
  });
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
  return api([&](Runtime& r) {
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    if (flags & ~static_cast<unsigned>(cudaInitDeviceFlagsAreValid)) return cudaErrorInvalidValue;
    if (!(flags & cudaInitDeviceFlagsAreValid)) return cudaSuccess;
    if (device_flags & ~kDeviceFlags) return cudaErrorInvalidValue;
    r.settings(device).flags = device_flags;
    return cudaSuccess;
  });
}

cudaError_t cudaSetValidDevices(int* devices, int n) {
  return api([&](Runtime& r) {
    if (n < 0 || (n > 0 && !devices) || n > r.device_count()) return cudaErrorInvalidValue;
    for (int i = 0; i < n; i++)
      if (!r.is_device(devices[i])) return cudaErrorInvalidDevice;
    r.valid_devices.assign(devices, devices + n);
    if (n == 0) r.valid_devices = {0};
    return cudaSuccess;
  });
}

/// All devices are alike.
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return api([&](Runtime& r) {
    if (!device || !wanted) return cudaErrorInvalidValue;
    *device = r.valid_devices.front();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return api([&](Runtime& r) {
    if (flags & ~kDeviceFlags) return cudaErrorInvalidValue;
    r.settings().flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api([&](Runtime& r) {
    if (!flags) return cudaErrorInvalidValue;
    *flags = r.settings().flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return api([](Runtime& r) {
    if (const cudaError_t error = synchronizes_device(r); error != cudaSuccess) return error;
    const int device = r.target();
    r.host_functions.wait_for_device(device);
    r.aim(device);
    const Status status = r.connection().call(Synchronize{});
    r.pools.synchronized(r.target());
    r.connection().show_output();
    return to_cuda(status);
  });
}

/// Works after a fault too, and clears it.
cudaError_t cudaDeviceReset() {
  const cudaError_t error = locked([](Runtime& r) {
    r.reset();
    return cudaSuccess;
  });
  if (error != cudaSuccess) return error;
  last_error() = cudaSuccess;
  current_device().used = false;
  return error;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api([&](Runtime& r) {
    switch (limit) {
      case cudaLimitStackSize:
        r.settings().stack_bytes = value;
        return to_cuda(r.connection().call(SetLimit{SetLimit::Limit::kStack, value}));
      case cudaLimitMallocHeapSize:
        r.settings().heap_bytes = value;
        return to_cuda(r.connection().call(SetLimit{SetLimit::Limit::kHeap, value}));
      case cudaLimitDevRuntimePendingLaunchCount:
        r.settings().pending_launches = static_cast<u32>(std::min<size_t>(value, 0xffffffffu));
        return to_cuda(r.connection().call(SetLimit{SetLimit::Limit::kPendingLaunches, value}));
      case cudaLimitPrintfFifoSize:
        r.settings().printf_bytes = value;
        return cudaSuccess;  // the machine keeps all output
      case cudaLimitMaxL2FetchGranularity:
        return cudaSuccess;                   // a hint
      case cudaLimitPersistingL2CacheSize: {  // as good as a hint: no line is kept longer for it
        if (most_persisting(r) == 0) return cudaErrorUnsupportedLimit;
        r.settings().persisting_bytes = std::min<u64>(value, most_persisting(r));
        return cudaSuccess;
      }
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
        *value = r.settings().stack_bytes;
        return cudaSuccess;
      case cudaLimitMallocHeapSize:
        *value = r.settings().heap_bytes;
        return cudaSuccess;
      case cudaLimitDevRuntimePendingLaunchCount:
        *value = r.settings().pending_launches;
        return cudaSuccess;
      case cudaLimitPrintfFifoSize:
        *value = r.settings().printf_bytes;
        return cudaSuccess;
      case cudaLimitMaxL2FetchGranularity:
        *value = 64;
        return cudaSuccess;
      case cudaLimitPersistingL2CacheSize:
        if (most_persisting(r) == 0) return cudaErrorUnsupportedLimit;
        *value = r.settings().persisting_bytes;
        return cudaSuccess;
      default:
        return cudaErrorUnsupportedLimit;
    }
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return api([&](Runtime& r) {
    if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual) return cudaErrorInvalidValue;
    r.settings().cache_config = config;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api([&](Runtime& r) {
    if (!config) return cudaErrorInvalidValue;
    *config = r.settings().cache_config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int bytes, int device) {
  return api([&](Runtime& r) {
    if (!id || bytes < 13) return cudaErrorInvalidValue;
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    std::snprintf(id, static_cast<size_t>(bytes), "0000:%02x:00.0", static_cast<unsigned>(device) + 1);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  return api([&](Runtime& r) {
    if (!device || !id) return cudaErrorInvalidValue;
    unsigned domain = 0, bus = 0, slot = 0;
    const bool full = std::sscanf(id, "%x:%x:%x", &domain, &bus, &slot) == 3;
    if (!full || domain != 0 || bus < 1 || bus > 255 || slot != 0) return cudaErrorInvalidDevice;
    if (!r.is_device(static_cast<int>(bus) - 1)) return cudaErrorInvalidDevice;
    *device = static_cast<int>(bus) - 1;
    return cudaSuccess;
  });
}

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
