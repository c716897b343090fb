// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Memory of the device and of the host, and what is known about a pointer.
#include "simulator/driver/frame.h"
#include "simulator/runtime/copy.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

/// Memory of `bytes` bytes, not none.
template <class Allocate>
CUresult allocate(Resource kind, CUdeviceptr* made, size_t bytes, Allocate&& allocate) {
  return make(kind, made, [&] {
    if (bytes == 0) return cudaErrorInvalidValue;
    void* p = nullptr;
    const cudaError_t error = allocate(&p);
    *made = address_of(p);
    return error;
  });
}

}  // namespace

CUresult cuMemAlloc_v2(CUdeviceptr* made, size_t bytes) {
  return allocate(Resource::kMemory, made, bytes, [&](void** p) { return cudaMalloc(p, bytes); });
}
CUresult cuMemAllocPitch_v2(CUdeviceptr* made, size_t* pitch, size_t width, size_t height, unsigned element) {
  if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
  return allocate(Resource::kMemory, made, width * height,
                  [&](void** p) { return cudaMallocPitch(p, pitch, width, height); });
}
CUresult cuMemAllocManaged(CUdeviceptr* made, size_t bytes, unsigned flags) {
  return allocate(Resource::kMemory, made, bytes,
                  [&](void** p) { return cudaMallocManaged(p, bytes, flags); });
}
CUresult cuMemFree_v2(CUdeviceptr address) {
  return unmake(address, [&] { return cudaFree(pointer(address)); });
}
CUresult cuMemAllocHost_v2(void** made, size_t bytes) { return cuMemHostAlloc(made, bytes, 0); }
CUresult cuMemHostAlloc(void** made, size_t bytes, unsigned flags) {
  return make(Resource::kHostMemory, made,
              [&] { return bytes == 0 ? cudaErrorInvalidValue : cudaHostAlloc(made, bytes, flags); });
}
CUresult cuMemFreeHost(void* p) {
  return unmake(address_of(p), [&] { return p ? cudaFreeHost(p) : cudaErrorInvalidValue; });
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* p, unsigned flags) {
  return in_context([&] {
    void* found = nullptr;
    if (!address) return cudaErrorInvalidValue;
    const cudaError_t error = cudaHostGetDevicePointer(&found, p, flags);
    *address = address_of(found);
    return error;
  });
}
CUresult cuMemHostGetFlags(unsigned* flags, void* p) {
  return in_context([&] { return cudaHostGetFlags(flags, p); });
}
CUresult cuMemHostRegister_v2(void* p, size_t bytes, unsigned flags) {
  return in_context([&] { return cudaHostRegister(p, bytes, flags); });
}
CUresult cuMemHostRegister(void* p, size_t bytes, unsigned flags) {
  return cuMemHostRegister_v2(p, bytes, flags);
}
CUresult cuMemHostUnregister(void* p) {
  return in_context([&] { return cudaHostUnregister(p); });
}
CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  return in_context([&] { return cudaMemGetInfo(free_bytes, total); });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* begin, size_t* bytes, CUdeviceptr address) {
  return with_runtime([&](runtime::Runtime& r) {
    u64 start = 0, size = 0;
    if (const auto* host = r.host_allocation(pointer(address))) {
      start = host->first;
      size = host->second.bytes;
    } else {
      channel::AllocationState found;
      if (runtime::is_device_address(pointer(address)))
        (void)r.connection().call(channel::QueryAllocation{address}, found);
      if (!found.found) return static_cast<cudaError_t>(CUDA_ERROR_NOT_FOUND);
      start = found.begin;
      size = found.bytes;
    }
    if (begin) *begin = start;
    if (bytes) *bytes = size;
    return cudaSuccess;
  });
}

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                               CUstream stream) {
  return in_context([&] {
    const cudaMemLocation where{static_cast<cudaMemLocationType>(location.type), location.id};
    return cudaMemPrefetchAsync(pointer(address), bytes, where, flags, given(stream));
  });
}
CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location) {
  return in_context([&] {
    const cudaMemLocation where{static_cast<cudaMemLocationType>(location.type), location.id};
    return cudaMemAdvise(pointer(address), bytes, static_cast<cudaMemoryAdvise>(advice), where);
  });
}

namespace {

/// Where the first versions of these functions name a device, -1 means the host.
CUmemLocation location_of(CUdevice device) {
  CUmemLocation location{};
  location.type = device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device == CU_DEVICE_CPU ? 0 : device;
  return location;
}

}  // namespace

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  return cuMemPrefetchAsync_v2(address, bytes, location_of(device), 0, stream);
}
CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
  return cuMemAdvise_v2(address, bytes, advice, location_of(device));
}
CUresult cuMemRangeGetAttribute(void* data, size_t bytes, CUmem_range_attribute attribute,
                                CUdeviceptr address, size_t count) {
  return in_context([&] {
    return cudaMemRangeGetAttribute(data, bytes, static_cast<cudaMemRangeAttribute>(attribute),
                                    pointer(address), count);
  });
}
CUresult cuMemRangeGetAttributes(void** data, size_t* bytes, CUmem_range_attribute* attributes, size_t n,
                                 CUdeviceptr address, size_t count) {
  return in_context([&] {
    return cudaMemRangeGetAttributes(data, bytes, reinterpret_cast<cudaMemRangeAttribute*>(attributes), n,
                                     pointer(address), count);
  });
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags) {
  return in_context([&] { return cudaStreamAttachMemAsync(given(stream), pointer(address), bytes, flags); });
}
