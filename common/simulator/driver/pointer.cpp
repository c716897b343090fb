// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What a pointer is.
#include "simulator/driver/frame.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

/// The allocation around an address, as far as it is known.
struct PointerFacts {
  cudaPointerAttributes attributes{};
  CUdeviceptr begin = 0;
  size_t bytes = 0;
  bool known() const { return attributes.type != cudaMemoryTypeUnregistered; }
  bool on_host() const { return attributes.type == cudaMemoryTypeHost; }
};

cudaError_t look_at(CUdeviceptr address, PointerFacts& facts) {
  const cudaError_t error = cudaPointerGetAttributes(&facts.attributes, pointer(address));
  if (error != cudaSuccess || !facts.known()) return error;
  if (cuMemGetAddressRange_v2(&facts.begin, &facts.bytes, address) != CUDA_SUCCESS) facts.begin = address;
  return cudaSuccess;
}

template <class T>
CUresult answer(void* to, const T& value) {
  *static_cast<T*>(to) = value;
  return CUDA_SUCCESS;
}

CUcontext context_of(const PointerFacts& facts) {
  Contexts& contexts = Contexts::instance();
  Context* const owner = contexts.owner_of(facts.begin);
  return handle_of(owner ? owner : &contexts.primary_of(facts.attributes.device));
}

/// Memory of cuMemAlloc; what pools and cuMemCreate give is shared in other ways.
bool is_ipc_capable(const PointerFacts& facts) {
  bool capable = false;
  (void)runtime::api([&](runtime::Runtime& r) {
    channel::MappingState mapped;
    if (facts.attributes.type != cudaMemoryTypeDevice || !r.connection().sharing()) return cudaSuccess;
    (void)r.connection().call(channel::QueryMapping{facts.begin, false, 0}, mapped);
    capable = !mapped.found && r.pools.pool_of(facts.begin) == nullptr;
    return cudaSuccess;
  });
  return capable;
}

CUresult read(const PointerFacts& facts, CUpointer_attribute attribute, void* to) {
  const cudaPointerAttributes& a = facts.attributes;
  if (attribute == CU_POINTER_ATTRIBUTE_MAPPED) return answer(to, facts.known());
  if (!facts.known()) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return answer(to, context_of(facts));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer(to, facts.on_host() ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return a.devicePointer ? answer(to, address_of(a.devicePointer)) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return a.hostPointer ? answer(to, a.hostPointer) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return answer(to, static_cast<unsigned long long>(facts.begin));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return answer(to, a.type == cudaMemoryTypeManaged);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer(to, a.device);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return answer(to, is_ipc_capable(facts));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return answer(to, false);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return answer(to, facts.begin);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return answer(to, facts.bytes);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return answer(to, 0ull);
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return answer(to, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return answer(to, CUmemoryPool{});
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  return in_context([&] {
    PointerFacts facts;
    if (!data) return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t error = look_at(address, facts);
    return error == cudaSuccess ? read(facts, attribute, data) : to_driver(error);
  });
}
/// Attributes that an address does not have are left 0; the call succeeds.
CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr address) {
  return in_context([&] {
    PointerFacts facts;
    if (!attributes || !data) return CUDA_ERROR_INVALID_VALUE;
    if (const cudaError_t error = look_at(address, facts); error != cudaSuccess) return to_driver(error);
    for (unsigned i = 0; i < n; i++) {
      if (read(facts, attributes[i], data[i]) == CUDA_SUCCESS) continue;
      // The smallest attribute has four bytes, the others eight.
      const bool small = attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
      if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        answer(data[i], -2);
      else if (small)
        answer(data[i], 0u);
      else if (attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
        answer(data[i], false);
      else
        answer(data[i], u64{0});
    }
    return CUDA_SUCCESS;
  });
}
/// The one attribute that can be set asks for waits that this device does in any case.
CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  return in_context([&] {
    PointerFacts facts;
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) return cudaErrorInvalidValue;
    const cudaError_t error = look_at(address, facts);
    return error == cudaSuccess && !facts.known() ? cudaErrorInvalidValue : error;
  });
}
