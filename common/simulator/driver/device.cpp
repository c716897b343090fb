// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Devices, and their primary contexts.
#include <cstring>

#include "simulator/driver/frame.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

/// Runs `body(properties)` for a device.
template <class Body>
CUresult with_properties(CUdevice device, Body&& body) {
  return initialised([&] {
    cudaDeviceProp properties{};
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    return error == cudaSuccess ? body(properties) : to_driver(error);
  });
}

/// Runs `body(settings)` for a device.
template <class Body>
cudaError_t with_settings(CUdevice device, Body&& body) {
  return runtime::locked([&](runtime::Runtime& r) {
    return r.is_device(device) ? body(r.settings(device)) : cudaErrorInvalidDevice;
  });
}

/// cudaErrorInvalidDevice when there is no such device.
cudaError_t check_device(CUdevice device) {
  return with_settings(device, [](const runtime::DeviceSettings&) { return cudaSuccess; });
}

constexpr unsigned kContextFlags = CU_CTX_FLAGS_MASK;

}  // namespace

CUresult cuDeviceGetCount(int* count) {
  return initialised([&] { return cudaGetDeviceCount(count); });
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return initialised([&] {
    if (!device) return cudaErrorInvalidValue;
    const cudaError_t error = check_device(ordinal);
    if (error == cudaSuccess) *device = ordinal;
    return error;
  });
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return with_properties(device, [&](const cudaDeviceProp& p) {
    if (!name || length <= 0) return CUDA_ERROR_INVALID_VALUE;
    std::strncpy(name, p.name, static_cast<size_t>(length) - 1);
    name[length - 1] = '\0';
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return with_properties(device, [&](const cudaDeviceProp& p) {
    if (!uuid) return CUDA_ERROR_INVALID_VALUE;
    *uuid = p.uuid;
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  return with_properties(device, [&](const cudaDeviceProp& p) {
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    *bytes = p.totalGlobalMem;
    return CUDA_SUCCESS;
  });
}

/// Abilities that only the driver API has functions for.
bool is_of_driver_alone(CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
      return true;
    default:
      return false;
  }
}

/// Attributes have the runtime's numbers.
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return initialised([&] {
    if (value && is_of_driver_alone(attribute)) {
      const cudaError_t error = check_device(device);
      if (error == cudaSuccess) *value = 1;
      return error;
    }
    if (value && attribute == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) {
      // Of memory that cuMemCreate makes; the runtime's answer is about pools and says the same.
      const cudaError_t error =
          cudaDeviceGetAttribute(value, cudaDevAttrMemoryPoolSupportedHandleTypes, device);
      if (error == cudaSuccess) *value = (*value & cudaMemHandleTypePosixFileDescriptor) != 0;
      return error;
    }
    return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device);
  });
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return with_properties(device, [&](const cudaDeviceProp& p) {
    if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
    *major = p.major;
    *minor = p.minor;
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceGetProperties(CUdevprop* facts, CUdevice device) {
  return with_properties(device, [&](const cudaDeviceProp& p) {
    if (!facts) return CUDA_ERROR_INVALID_VALUE;
    *facts = {};
    facts->maxThreadsPerBlock = p.maxThreadsPerBlock;
    std::memcpy(facts->maxThreadsDim, p.maxThreadsDim, sizeof p.maxThreadsDim);
    std::memcpy(facts->maxGridSize, p.maxGridSize, sizeof p.maxGridSize);
    facts->sharedMemPerBlock = static_cast<int>(p.sharedMemPerBlock);
    facts->totalConstantMemory = static_cast<int>(p.totalConstMem);
    facts->SIMDWidth = p.warpSize;
    facts->memPitch = static_cast<int>(p.memPitch);
    facts->regsPerBlock = p.regsPerBlock;
    facts->textureAlign = static_cast<int>(p.textureAlignment);
    return to_driver(cudaDeviceGetAttribute(&facts->clockRate, cudaDevAttrClockRate, device));
  });
}
CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  return initialised([&] { return cudaDeviceGetPCIBusId(id, length, device); });
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  return initialised([&] { return cudaDeviceGetByPCIBusId(device, id); });
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return initialised([&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}
CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to) {
  return initialised(
      [&] { return cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), from, to); });
}
CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType, CUdevice device) {
  return initialised([&] {
    if (!supported) return cudaErrorInvalidValue;
    *supported = 0;
    return check_device(device);
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return initialised([&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return initialised([&] { return cudaDeviceGetMemPool(pool, device); });
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return initialised([&] { return cudaDeviceSetMemPool(device, pool); });
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
  return initialised([&] {
    return cudaDeviceGetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), value);
  });
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
  return initialised([&] {
    return cudaDeviceSetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), value);
  });
}
CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return initialised([&] { return cudaDeviceGraphMemTrim(device); });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return initialised([&] {
    if (!context) return cudaErrorInvalidValue;
    if (const cudaError_t error = check_device(device); error != cudaSuccess) return error;
    Context& primary = Contexts::instance().primary_of(device);
    primary.holders++;
    *context = handle_of(&primary);
    return cudaSuccess;
  });
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return initialised([&] {
    bool used = false;
    const cudaError_t error = with_settings(device, [&](const runtime::DeviceSettings& settings) {
      used = settings.active;
      return cudaSuccess;
    });
    if (error != cudaSuccess) return to_driver(error);
    Context& primary = Contexts::instance().primary_of(device);
    if (primary.holders == 0) return CUDA_ERROR_INVALID_CONTEXT;
    return --primary.holders == 0 && !used ? destroy_resources(primary) : CUDA_SUCCESS;
  });
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return cuDevicePrimaryCtxRelease_v2(device); }

/// Also while others hold it: they keep a context without anything in it.
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return initialised([&] {
    const cudaError_t error = with_settings(device, [](runtime::DeviceSettings& settings) {
      settings.active = false;
      return cudaSuccess;
    });
    if (error != cudaSuccess) return to_driver(error);
    Context& primary = Contexts::instance().primary_of(device);
    primary.holders = 0;
    return destroy_resources(primary);
  });
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) { return cuDevicePrimaryCtxReset_v2(device); }

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return initialised([&] {
    return with_settings(device, [&](runtime::DeviceSettings& settings) {
      if (flags & ~kContextFlags) return cudaErrorInvalidValue;
      settings.flags = flags;
      return cudaSuccess;
    });
  });
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return initialised([&] {
    return with_settings(device, [&](const runtime::DeviceSettings& settings) {
      if (!flags || !active) return cudaErrorInvalidValue;
      *flags = settings.flags;
      *active = settings.active || Contexts::instance().primary_of(device).holders > 0;
      return cudaSuccess;
    });
  });
}
