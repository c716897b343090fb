// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Allocation: device, pinned, managed, registered; and what is known about a pointer.
#include "simulator/runtime/capture.h"
#include "simulator/runtime/copy.h"
#include "simulator/runtime/graph_memory.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

constexpr u64 kPitchAlignment = 512;

void* pointer(u64 address) { return reinterpret_cast<void*>(address); }
u64 address_of(const void* p) { return reinterpret_cast<u64>(p); }

cudaError_t allocate(Runtime& r, void** to, u64 bytes, const char* origin) {
  if (!to) return cudaErrorInvalidValue;
  *to = nullptr;
  if (const cudaError_t error = unsafe_in_capture(r); error != cudaSuccess) return error;
  if (bytes == 0) return cudaSuccess;
  Address answer;
  const Status status = r.connection().call(channel::Allocate{bytes, origin}, answer);
  *to = pointer(answer.address);
  return to_cuda(status);
}

cudaError_t allocate_pitched(Runtime& r, void** to, size_t* pitch, u64 width, u64 rows, const char* origin) {
  if (!to || !pitch) return cudaErrorInvalidValue;
  u64 bytes = 0;
  const u64 rounded = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  if (rounded < width || __builtin_mul_overflow(rounded, rows, &bytes)) return cudaErrorMemoryAllocation;
  *pitch = rounded;
  return allocate(r, to, bytes, origin);
}

cudaError_t allocate_host(Runtime& r, void** to, u64 bytes, unsigned flags, bool managed,
                          const char* origin) {
  if (!to) return cudaErrorInvalidValue;
  *to = nullptr;
  if (const cudaError_t error = unsafe_in_capture(r); error != cudaSuccess) return error;
  if (bytes == 0) return managed ? cudaErrorInvalidValue : cudaSuccess;
  Address answer;
  const Status status = r.connection().call(AllocateHost{bytes, origin}, answer);
  if (status != Status::kOk) return to_cuda(status);
  r.host_allocations[answer.address] = {bytes, flags, managed};
  *to = pointer(answer.address);
  return cudaSuccess;
}

/// The pinned or managed allocation around an address.
const std::pair<const u64, Runtime::HostAllocation>* host_allocation(const Runtime& r, const void* p) {
  auto next = r.host_allocations.upper_bound(address_of(p));
  if (next == r.host_allocations.begin()) return nullptr;
  --next;
  return address_of(p) - next->first < next->second.bytes ? &*next : nullptr;
}

cudaError_t free_host(Runtime& r, void* p, bool managed) {
  if (const cudaError_t error = unsafe_in_capture(r); error != cudaSuccess) return error;
  if (!p) return cudaSuccess;
  const auto found = r.host_allocations.find(address_of(p));
  if (found == r.host_allocations.end() || found->second.managed != managed) return cudaErrorInvalidValue;
  const Status status = r.connection().call(ReleaseHost{address_of(p)});
  r.host_allocations.erase(found);
  return to_cuda(status);
}

}  // namespace

cudaError_t cudaMalloc(void** to, size_t bytes) {
  return api([&](Runtime& r) { return allocate(r, to, bytes, "cudaMalloc"); });
}

cudaError_t cudaFree(void* p) {
  return api([&](Runtime& r) {
    r.connection();  // cudaFree(0) is how programs wake the device
    if (!p) return cudaSuccess;
    if (is_window_address(p)) return free_host(r, p, true);
    if (const cudaError_t error = unsafe_in_capture(r); error != cudaSuccess) return error;
    if (cudaError_t error{}; free_graph_memory(p, error)) return error;
    const Status status = r.connection().call(Release{address_of(p), false, 0});
    if (status == Status::kOk) r.connection().show_output();
    return to_cuda(status);
  });
}

cudaError_t cudaMallocPitch(void** to, size_t* pitch, size_t width, size_t height) {
  return api([&](Runtime& r) { return allocate_pitched(r, to, pitch, width, height, "cudaMallocPitch"); });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* to, cudaExtent extent) {
  return api([&](Runtime& r) {
    if (!to) return cudaErrorInvalidValue;
    *to = {nullptr, 0, extent.width, extent.height};
    return allocate_pitched(r, &to->ptr, &to->pitch, extent.width, extent.height * extent.depth,
                            "cudaMalloc3D");
  });
}

cudaError_t cudaMallocHost(void** to, size_t bytes) {
  return api(
      [&](Runtime& r) { return allocate_host(r, to, bytes, cudaHostAllocDefault, false, "cudaMallocHost"); });
}

cudaError_t cudaHostAlloc(void** to, size_t bytes, unsigned flags) {
  return api([&](Runtime& r) {
    if (flags & ~(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
      return cudaErrorInvalidValue;
    return allocate_host(r, to, bytes, flags, false, "cudaHostAlloc");
  });
}

cudaError_t cudaFreeHost(void* p) {
  return api([&](Runtime& r) { return free_host(r, p, false); });
}

cudaError_t cudaMallocManaged(void** to, size_t bytes, unsigned flags) {
  return api([&](Runtime& r) {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) return cudaErrorInvalidValue;
    return allocate_host(r, to, bytes, flags, true, "cudaMallocManaged");
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return api([&](Runtime& r) {
    if (!device || flags != 0) return cudaErrorInvalidValue;
    if (!host_allocation(r, host)) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return api([&](Runtime& r) {
    const auto* found = host_allocation(r, host);
    if (!flags || !found || found->second.managed) return cudaErrorInvalidValue;
    *flags = found->second.flags | cudaHostAllocMapped;
    return cudaSuccess;
  });
}

/// Registered memory copies as fast as pinned memory; kernels do not reach it
/// (cudaDevAttrHostRegisterSupported says so, cudaHostGetDevicePointer refuses).
cudaError_t cudaHostRegister(void* host, size_t bytes, unsigned flags) {
  return api([&](Runtime& r) {
    constexpr unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                               cudaHostRegisterReadOnly;
    if (!host || bytes == 0 || (flags & ~known)) return cudaErrorInvalidValue;
    for (const auto& [begin, size] : r.registered)
      if (address_of(host) < begin + size && begin < address_of(host) + bytes)
        return cudaErrorHostMemoryAlreadyRegistered;
    r.registered[address_of(host)] = bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* host) {
  return api([&](Runtime& r) {
    return r.registered.erase(address_of(host)) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  return api([&](Runtime& r) {
    MemoryState state;
    const Status status = r.connection().call(QueryMemory{}, state);
    if (free_bytes) *free_bytes = state.free_bytes;
    if (total) *total = state.total_bytes;
    return to_cuda(status);
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p) {
  return api([&](Runtime& r) {
    if (!attributes) return cudaErrorInvalidValue;
    *attributes = {};
    void* const same = const_cast<void*>(p);
    if (const auto* host = host_allocation(r, p)) {
      attributes->type = host->second.managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
      attributes->devicePointer = attributes->hostPointer = same;
      return cudaSuccess;
    }
    AllocationState found;
    if (is_device_address(p)) {
      if (const Status status = r.connection().call(QueryAllocation{address_of(p)}, found);
          status != Status::kOk)
        return to_cuda(status);
    }
    if (found.found) {
      attributes->type = cudaMemoryTypeDevice;
      attributes->devicePointer = same;
      return cudaSuccess;
    }
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = -2;  // what the real library answers for plain host memory: cudaInvalidDeviceId
    attributes->hostPointer = same;
    return cudaSuccess;
  });
}

// Managed memory is one memory here: advice and prefetching have nothing to move.
cudaError_t cudaMemPrefetchAsync(const void* p, size_t, cudaMemLocation, unsigned, cudaStream_t stream) {
  return api([&](Runtime& r) {
    if (r.stream_id(stream) < 0) return cudaErrorInvalidResourceHandle;
    return host_allocation(r, p) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
ROOFLINE_EXPORT cudaError_t cudaMemPrefetchAsync_ptsz(const void* p, size_t bytes, cudaMemLocation location,
                                                      unsigned flags, cudaStream_t stream) {
  return cudaMemPrefetchAsync(p, bytes, location, flags, per_thread(stream));
}
cudaError_t cudaMemAdvise(const void* p, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return api([&](Runtime& r) { return host_allocation(r, p) ? cudaSuccess : cudaErrorInvalidValue; });
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* p, size_t, unsigned) {
  return api([&](Runtime& r) {
    if (r.stream_id(stream) < 0) return cudaErrorInvalidResourceHandle;
    return host_allocation(r, p) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void* p, size_t bytes,
                                                          unsigned flags) {
  return cudaStreamAttachMemAsync(per_thread(stream), p, bytes, flags);
}
