// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Stream-ordered allocation. There is one pool, the default one, and it returns memory at once.
#include "simulator/runtime/capture.h"
#include "simulator/runtime/graph_memory.h"
#include "simulator/runtime/graph_work.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

char g_default_pool;
u64 g_release_threshold = 0;
int g_reuse = 1;

cudaMemPool_t default_pool() { return reinterpret_cast<cudaMemPool_t>(&g_default_pool); }

}  // namespace

cudaError_t cudaMallocAsync(void** to, size_t bytes, cudaStream_t stream) {
  return api([&](Runtime& r) {
    if (!to) return cudaErrorInvalidValue;
    *to = nullptr;
    const StreamUse use = use_stream(r, stream);
    if (use.error != cudaSuccess) return use.error;
    if (bytes == 0) return cudaSuccess;
    if (use.capture) {
      cudaMemAllocNodeParams p{};
      p.poolProps.allocType = cudaMemAllocationTypePinned;
      p.poolProps.location.type = cudaMemLocationTypeDevice;
      p.bytesize = bytes;
      Work work;
      if (const cudaError_t error = make_allocation(r, p, work); error != cudaSuccess) return error;
      *to = p.dptr;
      return capture(use, std::move(work));
    }
    Address answer;
    const Status status = r.connection().call(channel::Allocate{bytes, "cudaMallocAsync"}, answer);
    *to = reinterpret_cast<void*>(answer.address);
    return to_cuda(status);
  });
}
ROOFLINE_EXPORT cudaError_t cudaMallocAsync_ptsz(void** to, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync(to, bytes, per_thread(stream));
}

cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
  return api([&](Runtime& r) {
    const StreamUse use = use_stream(r, stream);
    if (use.error != cudaSuccess) return use.error;
    if (!p) return cudaSuccess;
    if (use.capture) {
      Work work;
      const cudaError_t error = make_free(p, work);
      return error == cudaSuccess ? capture(use, std::move(work)) : error;
    }
    if (cudaError_t error{}; free_graph_memory(p, error)) return error;
    return to_cuda(r.connection().call(Release{reinterpret_cast<u64>(p), true, use.id}));
  });
}
ROOFLINE_EXPORT cudaError_t cudaFreeAsync_ptsz(void* p, cudaStream_t stream) {
  return cudaFreeAsync(p, per_thread(stream));
}

cudaError_t cudaMallocFromPoolAsync(void** to, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  if (pool != default_pool()) return remember(cudaErrorInvalidValue);
  return cudaMallocAsync(to, bytes, stream);
}
ROOFLINE_EXPORT cudaError_t cudaMallocFromPoolAsync_ptsz(void** to, size_t bytes, cudaMemPool_t pool,
                                                         cudaStream_t stream) {
  return cudaMallocFromPoolAsync(to, bytes, pool, per_thread(stream));
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (!pool) return remember(cudaErrorInvalidValue);
  if (device != 0) return remember(cudaErrorInvalidDevice);
  *pool = default_pool();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (device != 0) return remember(cudaErrorInvalidDevice);
  return remember(pool == default_pool() ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return remember(pool == default_pool() ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (pool != default_pool() || !value) return remember(cudaErrorInvalidValue);
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      g_release_threshold = *static_cast<u64*>(value);
      return cudaSuccess;
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      g_reuse = *static_cast<int*>(value);
      return cudaSuccess;
    default:
      return remember(cudaErrorInvalidValue);
  }
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (pool != default_pool() || !value) return remember(cudaErrorInvalidValue);
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      *static_cast<u64*>(value) = g_release_threshold;
      return cudaSuccess;
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
      *static_cast<int*>(value) = g_reuse;
      return cudaSuccess;
    default:
      return remember(cudaErrorNotSupported);
  }
}
