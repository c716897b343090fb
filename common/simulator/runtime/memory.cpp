// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Device memory, and what is known about a pointer.
#include <algorithm>

#include "simulator/runtime/address.h"
#include "simulator/runtime/capture.h"
#include "simulator/runtime/copy.h"
#include "simulator/runtime/graph_memory.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

constexpr u64 kPitchAlignment = 512;

cudaError_t allocate(Runtime& r, void** to, u64 bytes, const char* origin) {
  if (!to) return cudaErrorInvalidValue;
  *to = nullptr;
  if (const cudaError_t error = unsafe_in_capture(r); error != cudaSuccess) return error;
  if (bytes == 0) return cudaSuccess;
  Address answer;
  const Status status = r.connection().call(channel::Allocate{bytes, origin, r.connection().site()}, answer);
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

/// Registered memory, by either of its addresses.
bool registered_attributes(const Runtime& r, const void* p, cudaPointerAttributes& attributes) {
  auto region = r.registered.find(address_of(p), 1);
  u64 offset = region == r.registered.end() ? 0 : address_of(p) - region->second.pages;
  if (region == r.registered.end()) {
    region = r.registered.find_by_window(address_of(p));
    if (region == r.registered.end()) return false;
    offset = address_of(p) - region->second.window;
  }
  attributes.type = cudaMemoryTypeHost;
  attributes.device = region->second.device;
  attributes.hostPointer = pointer(region->second.pages + offset);
  attributes.devicePointer = region->second.window ? pointer(region->second.window + offset) : nullptr;
  return true;
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
    if (is_device_address(p) && r.is_device(device_of(p))) {
      const int device = r.target();
      r.host_functions.wait_for_device(device_of(p));  // what is queued behind them may use it
      r.aim(device);
    }
    const Status status = r.connection().call(Release{address_of(p), false, 0});
    if (status == Status::kOk) {
      r.pools.released(address_of(p));
      r.connection().show_output();
    }
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

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total) {
  return api([&](Runtime& r) {
    MemoryState state;
    const Status status = r.connection().call(QueryMemory{}, state);
    const u64 idle = std::min(r.pools.idle_bytes(r.target()), state.free_bytes);
    if (free_bytes) *free_bytes = state.free_bytes - idle;
    if (total) *total = state.total_bytes;
    return to_cuda(status);
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* p) {
  return api([&](Runtime& r) {
    if (!attributes) return cudaErrorInvalidValue;
    *attributes = {};
    void* const same = const_cast<void*>(p);
    if (const auto* host = r.host_allocation(p)) {
      attributes->type = host->second.managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
      attributes->devicePointer = attributes->hostPointer = same;
      attributes->device = host->second.device;
      return cudaSuccess;
    }
    if (registered_attributes(r, p, *attributes)) return cudaSuccess;
    AllocationState found;
    if (is_device_address(p)) {
      if (const Status status = r.connection().call(QueryAllocation{address_of(p)}, found);
          status != Status::kOk)
        return to_cuda(status);
    }
    if (found.found) {
      attributes->type = cudaMemoryTypeDevice;
      attributes->device = static_cast<int>(found.gpu);
      attributes->devicePointer = same;
      return cudaSuccess;
    }
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = -2;  // what the real library answers for plain host memory: cudaInvalidDeviceId
    attributes->hostPointer = same;
    return cudaSuccess;
  });
}
