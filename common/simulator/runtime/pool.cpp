// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Stream-ordered allocation and its pools. Commands execute in the machine as they are sent, so an allocation
// is there at once and a freed one is gone at once: what a program may rely on, it finds. Pools are accounts.
#include <algorithm>

#include "simulator/runtime/capture.h"
#include "simulator/runtime/graph_memory.h"
#include "simulator/runtime/graph_work.h"
#include "simulator/runtime/sharing.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

/// As the device accounts for it.
u64 rounded(u64 bytes) { return (bytes + 255) / 256 * 256; }

cudaError_t allocate(Runtime& r, void** to, u64 bytes, MemoryPool& pool) {
  if (pool.imported) return cudaErrorInvalidValue;
  if (bytes == 0) return cudaSuccess;
  if (pool.limit && rounded(bytes) > pool.limit - std::min(pool.limit, pool.used))
    return cudaErrorMemoryAllocation;
  r.aim(pool.device);
  Address answer;
  const Status status =
      r.connection().call(channel::Allocate{bytes, "cudaMallocAsync", r.connection().site()}, answer);
  if (status != Status::kOk) return to_cuda(status);
  r.pools.allocated(pool, answer.address, rounded(bytes));
  *to = reinterpret_cast<void*>(answer.address);
  return cudaSuccess;
}

/// Runs `body(runtime, pool)` for a live pool.
template <class Body>
cudaError_t with_pool(cudaMemPool_t handle, Body&& body) {
  return api([&](Runtime& r) {
    MemoryPool* pool = r.pools.find(handle);
    return pool ? body(r, *pool) : cudaErrorInvalidValue;
  });
}

/// The device that a location names; an error for other kinds of memory.
cudaError_t device_at(Runtime& r, const cudaMemLocation& location, cudaMemAllocationType type, int& device) {
  if (type != cudaMemAllocationTypePinned || location.type != cudaMemLocationTypeDevice)
    return cudaErrorNotSupported;
  device = location.id;
  return r.is_device(device) ? cudaSuccess : cudaErrorInvalidDevice;
}

u64* account_of(MemoryPool& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      return &pool.release_threshold;
    case cudaMemPoolAttrReservedMemCurrent:
      return &pool.reserved;
    case cudaMemPoolAttrReservedMemHigh:
      return &pool.reserved_high;
    case cudaMemPoolAttrUsedMemCurrent:
      return &pool.used;
    case cudaMemPoolAttrUsedMemHigh:
      return &pool.used_high;
    default:
      return nullptr;
  }
}

bool is_reuse(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies &&
         attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

/// Lets another device's kernels touch the pool's memory, or no longer.
cudaError_t give_access(Runtime& r, MemoryPool& pool, int device, cudaMemAccessFlags flags) {
  const bool allow = flags != cudaMemAccessFlagsProtNone;
  if (device == pool.device) return allow ? cudaSuccess : cudaErrorInvalidValue;
  if (!r.device().peer_access) return cudaErrorInvalidDevice;
  pool.access[device] = flags;
  if (!allow && r.settings(device).peers.contains(pool.device)) return cudaSuccess;
  r.aim(device);
  return to_cuda(r.connection().call(AllowPeer{static_cast<u32>(pool.device), allow}));
}

}  // namespace

cudaError_t cudaMallocAsync(void** to, size_t bytes, cudaStream_t stream) {
  return api([&](Runtime& r) {
    if (!to) return cudaErrorInvalidValue;
    *to = nullptr;
    const StreamUse use = queue_on(r, stream);
    if (use.error != cudaSuccess) return use.error;
    if (bytes == 0) return cudaSuccess;
    if (use.capture) {
      cudaMemAllocNodeParams p{};
      p.poolProps.allocType = cudaMemAllocationTypePinned;
      p.poolProps.location.type = cudaMemLocationTypeDevice;
      p.poolProps.location.id = r.target();
      p.bytesize = bytes;
      Work work;
      if (const cudaError_t error = make_allocation(r, p, work); error != cudaSuccess) return error;
      *to = p.dptr;
      return capture(use, std::move(work));
    }
    const cudaError_t error = allocate(r, to, bytes, r.pools.current_of(r.target()));
    if (error != cudaErrorMemoryAllocation || !use.pending) return error;
    r.host_functions.wait(use.place);  // what is freed before may be enough
    r.aim(use.place.device);
    return allocate(r, to, bytes, r.pools.current_of(r.target()));
  });
}
ROOFLINE_EXPORT cudaError_t cudaMallocAsync_ptsz(void** to, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(to, bytes, per_thread(stream));
}

cudaError_t cudaMallocFromPoolAsync(void** to, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return with_pool(pool, [&](Runtime& r, MemoryPool& from) {
    if (!to) return cudaErrorInvalidValue;
    *to = nullptr;
    const StreamUse use = use_stream(r, stream);
    if (use.error != cudaSuccess) return use.error;
    if (use.capture) return refuse_capture(use);
    return allocate(r, to, bytes, from);
  });
}
ROOFLINE_EXPORT cudaError_t cudaMallocFromPoolAsync_ptsz(void** to, size_t bytes, cudaMemPool_t pool,
                                                         cudaStream_t stream) {
  return cudaMallocFromPoolAsync(to, bytes, pool, per_thread(stream));
}

cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
  return api([&](Runtime& r) {
    const StreamUse use = queue_on(r, stream);
    if (use.error != cudaSuccess) return use.error;
    const u64 address = reinterpret_cast<u64>(p);
    if (!p) return cudaSuccess;
    if (use.capture) {
      Work work;
      const cudaError_t error = make_free(p, work);
      return error == cudaSuccess ? capture(use, std::move(work)) : error;
    }
    if (cudaError_t error{}; free_graph_memory(p, error)) return error;
    return send(r, use, [address, id = use.id](Runtime& runtime) {
      const Status status = runtime.connection().call(Release{address, true, id});
      if (status == Status::kOk) runtime.pools.released(address);
      return to_cuda(status);
    });
  });
}
ROOFLINE_EXPORT cudaError_t cudaFreeAsync_ptsz(void* p, cudaStream_t stream) {
  return cudaFreeAsync(p, per_thread(stream));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api([&](Runtime& r) {
    if (!pool || !properties) return cudaErrorInvalidValue;
    const bool exportable = properties->handleTypes == cudaMemHandleTypePosixFileDescriptor;
    if (properties->handleTypes != cudaMemHandleTypeNone && !exportable) return cudaErrorNotSupported;
    int device = 0;
    const cudaError_t error = device_at(r, properties->location, properties->allocType, device);
    if (error != cudaSuccess) return error;
    MemoryPool& made = r.pools.create(device, properties->maxSize);
    made.exportable = exportable;
    *pool = MemoryPools::handle_of(made);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return with_pool(pool, [&](Runtime& r, MemoryPool& found) {
    if (found.is_default) return cudaErrorInvalidValue;
    r.pools.destroy(found);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Runtime& r) {
    if (!pool) return cudaErrorInvalidValue;
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    *pool = MemoryPools::handle_of(r.pools.default_of(device));
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Runtime& r) {
    if (!pool) return cudaErrorInvalidValue;
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    *pool = MemoryPools::handle_of(r.pools.current_of(device));
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return with_pool(pool, [&](Runtime& r, MemoryPool& found) {
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    if (found.device != device || found.imported) return cudaErrorInvalidValue;
    r.pools.set_current(device, found);
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
  int device = 0;
  const cudaError_t error = api([&](Runtime& r) {
    return pool && location ? device_at(r, *location, type, device) : cudaErrorInvalidValue;
  });
  return error == cudaSuccess ? cudaDeviceGetDefaultMemPool(pool, device) : error;
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location, cudaMemAllocationType type) {
  int device = 0;
  const cudaError_t error = api([&](Runtime& r) {
    return pool && location ? device_at(r, *location, type, device) : cudaErrorInvalidValue;
  });
  return error == cudaSuccess ? cudaDeviceGetMemPool(pool, device) : error;
}
cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type, cudaMemPool_t pool) {
  int device = 0;
  const cudaError_t error = api(
      [&](Runtime& r) { return location ? device_at(r, *location, type, device) : cudaErrorInvalidValue; });
  return error == cudaSuccess ? cudaDeviceSetMemPool(device, pool) : error;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  return with_pool(pool, [&](Runtime&, MemoryPool& found) {
    found.trim(keep);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&](Runtime&, MemoryPool& found) {
    if (!value) return cudaErrorInvalidValue;
    if (is_reuse(attribute)) {
      found.reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *static_cast<int*>(value);
      return cudaSuccess;
    }
    const u64 given = *static_cast<u64*>(value);
    switch (attribute) {
      case cudaMemPoolAttrReleaseThreshold:
        found.release_threshold = given;
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:  // high-water marks can be set back to the present, by 0
        if (given == 0) found.reserved_high = found.reserved;
        return given == 0 ? cudaSuccess : cudaErrorInvalidValue;
      case cudaMemPoolAttrUsedMemHigh:
        if (given == 0) found.used_high = found.used;
        return given == 0 ? cudaSuccess : cudaErrorInvalidValue;
      default:
        return cudaErrorInvalidValue;
    }
  });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return with_pool(pool, [&](Runtime&, MemoryPool& found) {
    if (!value) return cudaErrorInvalidValue;
    const u64* account = account_of(found, attribute);
    if (account)
      *static_cast<u64*>(value) = *account;
    else if (is_reuse(attribute))
      *static_cast<int*>(value) = found.reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
    else
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list, size_t n) {
  return with_pool(pool, [&](Runtime& r, MemoryPool& found) {
    if (n && !list) return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++)
      if (list[i].location.type != cudaMemLocationTypeDevice || !r.is_device(list[i].location.id))
        return cudaErrorInvalidDevice;
    for (size_t i = 0; i < n; i++)
      if (const cudaError_t error = give_access(r, found, list[i].location.id, list[i].flags);
          error != cudaSuccess)
        return error;
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return with_pool(pool, [&](Runtime& r, MemoryPool& found) {
    if (!flags || !location || location->type != cudaMemLocationTypeDevice) return cudaErrorInvalidValue;
    if (!r.is_device(location->id)) return cudaErrorInvalidDevice;
    const auto given = found.access.find(location->id);
    *flags = location->id == found.device  ? cudaMemAccessFlagsProtReadWrite
             : given == found.access.end() ? cudaMemAccessFlagsProtNone
                                           : given->second;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolExportToShareableHandle(void* handle, cudaMemPool_t pool,
                                               cudaMemAllocationHandleType type, unsigned flags) {
  return with_pool(pool, [&](Runtime& r, MemoryPool& found) {
    if (!handle || type != cudaMemHandleTypePosixFileDescriptor || flags != 0 || !found.exportable)
      return cudaErrorInvalidValue;
    r.aim(found.device);
    HandleBytes bytes;
    const cudaError_t error = share(r, Shared::kPool, reinterpret_cast<u64>(&found), bytes);
    return error == cudaSuccess ? make_descriptor(bytes, *static_cast<int*>(handle)) : error;
  });
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* handle,
                                                 cudaMemAllocationHandleType type, unsigned flags) {
  return api([&](Runtime& r) {
    if (!pool || type != cudaMemHandleTypePosixFileDescriptor || flags != 0) return cudaErrorInvalidValue;
    const auto bytes = read_descriptor(static_cast<int>(reinterpret_cast<u64>(handle)), Shared::kPool);
    if (!bytes) return cudaErrorInvalidValue;
    SharedState opened;
    const Status status = open_shared(r, {.handle = bytes->handle, .kind = Shared::kPool}, opened);
    if (status != Status::kOk) return to_cuda(status);
    MemoryPool& made = r.pools.create(static_cast<int>(opened.gpu), 0);
    made.imported = bytes->handle;
    made.number = opened.id;
    *pool = MemoryPools::handle_of(made);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* data, void* p) {
  return api([&](Runtime& r) {
    MemoryPool* const pool = r.pools.pool_of(reinterpret_cast<u64>(p));
    if (!data || !pool || !pool->exportable) return cudaErrorInvalidValue;
    HandleBytes bytes;
    const cudaError_t error = share(r, Shared::kMemory, reinterpret_cast<u64>(p), bytes);
    if (error != cudaSuccess) return error;
    bytes.pool = reinterpret_cast<u64>(pool);
    put(*data, bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolImportPointer(void** p, cudaMemPool_t pool, cudaMemPoolPtrExportData* data) {
  return with_pool(pool, [&](Runtime& r, MemoryPool& found) {
    if (!p || !data || !found.imported) return cudaErrorInvalidValue;
    const auto bytes = take(*data, Shared::kMemory);
    if (!bytes || bytes->handle.machine != found.imported->machine || bytes->pool != found.number)
      return cudaErrorInvalidValue;
    SharedState opened;
    const Status status = open_shared(
        r, {.handle = bytes->handle, .kind = Shared::kMemory, .in_pool = true, .site = r.connection().site()},
        opened);
    if (status == Status::kOk) *p = reinterpret_cast<void*>(opened.id);
    return to_cuda(status);
  });
}
