// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation, and the pools it takes from.
#include "simulator/driver/frame.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

// The runtime's structures have the same members in the same places.
static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));
static_assert(sizeof(CUmemAccessDesc) == sizeof(cudaMemAccessDesc));
static_assert(sizeof(CUmemLocation) == sizeof(cudaMemLocation));

cudaMemPoolAttr same(CUmemPool_attribute attribute) { return static_cast<cudaMemPoolAttr>(attribute); }

}  // namespace

CUresult cuMemAllocAsync(CUdeviceptr* made, size_t bytes, CUstream stream) {
  return make(Resource::kMemory, made, [&] {
    void* p = nullptr;
    if (bytes == 0) return cudaErrorInvalidValue;
    const cudaError_t error = cudaMallocAsync(&p, bytes, given(stream));
    *made = address_of(p);
    return error;
  });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* made, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return make(Resource::kMemory, made, [&] {
    void* p = nullptr;
    if (bytes == 0) return cudaErrorInvalidValue;
    const cudaError_t error = cudaMallocFromPoolAsync(&p, bytes, pool, given(stream));
    *made = address_of(p);
    return error;
  });
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return unmake(address, [&] { return cudaFreeAsync(pointer(address), given(stream)); });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return initialised(
      [&] { return cudaMemPoolCreate(pool, reinterpret_cast<const cudaMemPoolProps*>(properties)); });
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return initialised([&] { return cudaMemPoolDestroy(pool); });
}
CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  return initialised([&] { return cudaMemPoolTrimTo(pool, keep); });
}
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return initialised([&] { return cudaMemPoolSetAttribute(pool, same(attribute), value); });
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return initialised([&] { return cudaMemPoolGetAttribute(pool, same(attribute), value); });
}
CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* list, size_t n) {
  return initialised(
      [&] { return cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc*>(list), n); });
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  return initialised([&] {
    return cudaMemPoolGetAccess(reinterpret_cast<cudaMemAccessFlags*>(flags), pool,
                                reinterpret_cast<cudaMemLocation*>(location));
  });
}
CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return initialised([&] {
    return cudaMemGetDefaultMemPool(pool, reinterpret_cast<cudaMemLocation*>(location),
                                    static_cast<cudaMemAllocationType>(type));
  });
}
CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return initialised([&] {
    return cudaMemGetMemPool(pool, reinterpret_cast<cudaMemLocation*>(location),
                             static_cast<cudaMemAllocationType>(type));
  });
}
CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return initialised([&] {
    return cudaMemSetMemPool(reinterpret_cast<cudaMemLocation*>(location),
                             static_cast<cudaMemAllocationType>(type), pool);
  });
}

CUresult cuMemPoolExportToShareableHandle(void* handle, CUmemoryPool pool, CUmemAllocationHandleType type,
                                          unsigned long long flags) {
  return initialised([&] {
    return cudaMemPoolExportToShareableHandle(handle, pool, static_cast<cudaMemAllocationHandleType>(type),
                                              static_cast<unsigned>(flags));
  });
}
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool, void* handle, CUmemAllocationHandleType type,
                                            unsigned long long flags) {
  return initialised([&] {
    return cudaMemPoolImportFromShareableHandle(pool, handle, static_cast<cudaMemAllocationHandleType>(type),
                                                static_cast<unsigned>(flags));
  });
}
CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* data, CUdeviceptr address) {
  return initialised([&] {
    return cudaMemPoolExportPointer(reinterpret_cast<cudaMemPoolPtrExportData*>(data), pointer(address));
  });
}
CUresult cuMemPoolImportPointer(CUdeviceptr* address, CUmemoryPool pool, CUmemPoolPtrExportData* data) {
  return initialised([&] {
    void* p = nullptr;
    if (!address) return cudaErrorInvalidValue;
    const cudaError_t error =
        cudaMemPoolImportPointer(&p, pool, reinterpret_cast<cudaMemPoolPtrExportData*>(data));
    if (error == cudaSuccess) *address = address_of(p);
    return error;
  });
}
