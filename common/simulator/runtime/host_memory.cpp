// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Memory that host and device both reach: pinned, mapped, managed, registered.
#include "simulator/runtime/address.h"
#include "simulator/runtime/capture.h"
#include "simulator/runtime/copy.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

cudaError_t allocate_host(Runtime& r, void** to, u64 bytes, unsigned flags, bool managed,
                          const char* origin) {
  if (!to) return cudaErrorInvalidValue;
  *to = nullptr;
  if (const cudaError_t error = unsafe_in_capture(r); error != cudaSuccess) return error;
  if (bytes == 0) return cudaSuccess;
  Address answer;
  const Status status =
      r.connection().call(AllocateHost{bytes, origin + r.connection().site(), managed}, answer);
  if (status != Status::kOk) return to_cuda(status);
  r.host_allocations[answer.address] = {bytes, flags, managed, false, r.target()};
  if (managed) r.managed.clear(answer.address, bytes);
  *to = pointer(answer.address);
  return cudaSuccess;
}

}  // namespace

namespace roofline::sim::runtime {

/// What is queued on any of them may use memory of the host.
void wait_for_all_devices(Runtime& r) {
  for (int device = 0; device < r.device_count(); device++) r.host_functions.wait_for_device(device);
}

cudaError_t free_host(Runtime& r, void* p, bool managed) {
  if (const cudaError_t error = unsafe_in_capture(r); error != cudaSuccess) return error;
  if (!p) return cudaSuccess;
  wait_for_all_devices(r);
  const auto found = r.host_allocations.find(address_of(p));
  if (found == r.host_allocations.end() || found->second.managed != managed || found->second.variable)
    return cudaErrorInvalidValue;
  r.aim(found->second.device);
  const Status status = r.connection().call(ReleaseHost{address_of(p)});
  r.host_allocations.erase(found);
  return to_cuda(status);
}

}  // namespace roofline::sim::runtime

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

/// The same address for memory from cudaHostAlloc; another one for registered memory
/// (cudaDevAttrCanUseHostPointerForRegisteredMem is 0).
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return api([&](Runtime& r) {
    if (!device || flags != 0) return cudaErrorInvalidValue;
    if (const auto* found = r.host_allocation(host)) {
      *device = host;
      return found->second.managed ? cudaErrorInvalidValue : cudaSuccess;
    }
    const auto region = r.registered.find(address_of(host), 1);
    if (region == r.registered.end() || !region->second.window) return cudaErrorInvalidValue;
    *device = pointer(region->second.window + (address_of(host) - region->second.pages));
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return api([&](Runtime& r) {
    if (!flags) return cudaErrorInvalidValue;
    if (const auto* found = r.host_allocation(host)) {
      *flags = found->second.flags | cudaHostAllocMapped;
      return found->second.managed ? cudaErrorInvalidValue : cudaSuccess;
    }
    const auto region = r.registered.find(address_of(host), 1);
    if (region == r.registered.end()) return cudaErrorInvalidValue;
    *flags = region->second.flags | (region->second.window ? cudaHostRegisterMapped : 0u);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* host, size_t bytes, unsigned flags) {
  return api([&](Runtime& r) {
    constexpr unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                               cudaHostRegisterReadOnly;
    if (!host || bytes == 0 || (flags & ~known)) return cudaErrorInvalidValue;
    if (flags & (cudaHostRegisterIoMemory | cudaHostRegisterReadOnly)) return cudaErrorNotSupported;
    if (is_device_address(host)) return cudaErrorInvalidValue;
    if (is_window_address(host) || r.registered.overlaps(address_of(host), bytes))
      return cudaErrorHostMemoryAlreadyRegistered;
    r.registered.add(r.connection(), address_of(host), bytes, flags, r.target());
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* host) {
  return api([&](Runtime& r) {
    if (!host) return cudaErrorInvalidValue;
    const int device = r.target();
    wait_for_all_devices(r);
    r.aim(device);
    return r.registered.remove(r.connection(), address_of(host)) ? cudaSuccess
                                                                 : cudaErrorHostMemoryNotRegistered;
  });
}
