// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Advice about managed memory: it is remembered, and changes nothing. Prefetching moves pages.
#include <algorithm>
#include <optional>
#include <vector>

#include "simulator/runtime/address.h"
#include "simulator/runtime/capture.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

/// Whether the range lies in one managed allocation or variable.
bool is_managed(Runtime& r, const void* p, u64 bytes) {
  const auto* found = r.host_allocation(p);
  if (!found || !found->second.managed || bytes == 0) return false;
  return bytes <= found->second.bytes - (address_of(p) - found->first);
}

cudaError_t check_location(Runtime& r, const cudaMemLocation& location) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
      return r.is_device(location.id) ? cudaSuccess : cudaErrorInvalidDevice;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

/// A device's number, or the host's.
int number_of(const cudaMemLocation& location) {
  return location.type == cudaMemLocationTypeInvalid  ? cudaInvalidDeviceId
         : location.type == cudaMemLocationTypeDevice ? location.id
                                                      : cudaCpuDeviceId;
}

void advise(Advice& advice, cudaMemoryAdvise what, const cudaMemLocation& location) {
  switch (what) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      advice.read_mostly = what == cudaMemAdviseSetReadMostly;
      break;
    case cudaMemAdviseSetPreferredLocation:
      advice.preferred = location;
      break;
    case cudaMemAdviseUnsetPreferredLocation:
      advice.preferred = {};
      break;
    case cudaMemAdviseSetAccessedBy:
      advice.accessed_by.insert(number_of(location));
      break;
    case cudaMemAdviseUnsetAccessedBy:
      advice.accessed_by.erase(number_of(location));
      break;
  }
}

bool needs_location(cudaMemoryAdvise what) {
  return what != cudaMemAdviseSetReadMostly && what != cudaMemAdviseUnsetReadMostly &&
         what != cudaMemAdviseUnsetPreferredLocation;
}

/// The location that all parts of a range agree on; type 0 when they do not.
cudaMemLocation common(Runtime& r, const void* p, u64 bytes, cudaMemLocation Advice::*which) {
  std::optional<cudaMemLocation> found;
  r.managed.each(address_of(p), bytes, [&](const Advice& advice) {
    const cudaMemLocation& here = advice.*which;
    if (!found)
      found = here;
    else if (found->type != here.type || found->id != here.id)
      found = cudaMemLocation{};
  });
  return found.value_or(cudaMemLocation{});
}

/// The devices that every part of a range names, then cudaInvalidDeviceId.
void write_accessed_by(Runtime& r, const void* p, u64 bytes, int* to, size_t n) {
  std::optional<std::set<int>> all;
  r.managed.each(address_of(p), bytes, [&](const Advice& advice) {
    if (!all) all = advice.accessed_by;
    std::erase_if(*all, [&](int device) { return !advice.accessed_by.contains(device); });
  });
  std::fill_n(to, n, cudaInvalidDeviceId);
  if (all) std::copy_n(all->begin(), std::min(n, all->size()), to);
}

int read_mostly(Runtime& r, const void* p, u64 bytes) {
  bool all = true;
  r.managed.each(address_of(p), bytes, [&](const Advice& advice) { all = all && advice.read_mostly; });
  return all;
}

cudaError_t range_attribute(Runtime& r, void* data, size_t data_bytes, cudaMemRangeAttribute attribute,
                            const void* p, size_t bytes) {
  int* const to = static_cast<int*>(data);
  if (!data || data_bytes == 0 || data_bytes % sizeof(int) || !is_managed(r, p, bytes))
    return cudaErrorInvalidValue;
  if (attribute == cudaMemRangeAttributeAccessedBy) {
    write_accessed_by(r, p, bytes, to, data_bytes / sizeof(int));
    return cudaSuccess;
  }
  if (data_bytes != sizeof(int)) return cudaErrorInvalidValue;
  const cudaMemLocation preferred = common(r, p, bytes, &Advice::preferred);
  const cudaMemLocation prefetched = common(r, p, bytes, &Advice::prefetched);
  switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
      *to = read_mostly(r, p, bytes);
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocation:
      *to = number_of(preferred);
      return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocation:
      *to = number_of(prefetched);
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationType:
      *to = preferred.type;
      return cudaSuccess;
    case cudaMemRangeAttributePreferredLocationId:
      *to = preferred.id;
      return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationType:
      *to = prefetched.type;
      return cudaSuccess;
    case cudaMemRangeAttributeLastPrefetchLocationId:
      *to = prefetched.id;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t move_pages(Runtime& r, const void* p, size_t bytes, const cudaMemLocation& location,
                       cudaStream_t stream) {
  r.managed.change(address_of(p), bytes, [&](Advice& advice) { advice.prefetched = location; });
  const bool to_device = location.type == cudaMemLocationTypeDevice;
  const StreamUse use = queue_on(r, stream);
  if (use.error != cudaSuccess) return use.error;
  const channel::PrefetchManaged command{address_of(p), bytes, to_device, use.id};
  return send(r, use, [command](Runtime& runtime) { return to_cuda(runtime.connection().call(command)); });
}

struct Batch {
  void** addresses;
  size_t* sizes;
  size_t n;
  cudaMemLocation* locations = nullptr;
  size_t* location_begins = nullptr;
  size_t n_locations = 0;
};

/// The location of entry i: that of the last group which begins at or before it.
const cudaMemLocation* location_of(const Batch& batch, size_t i) {
  const cudaMemLocation* found = nullptr;
  for (size_t k = 0; k < batch.n_locations; k++)
    if (batch.location_begins[k] <= i) found = &batch.locations[k];
  return found;
}

cudaError_t run_batch(const Batch& batch, bool prefetch, unsigned long long flags, cudaStream_t stream) {
  return api([&](Runtime& r) {
    if (!batch.addresses || !batch.sizes || batch.n == 0 || flags != 0) return cudaErrorInvalidValue;
    if (prefetch && (!batch.locations || !batch.location_begins || batch.n_locations == 0 ||
                     batch.n_locations > batch.n || batch.location_begins[0] != 0))
      return cudaErrorInvalidValue;
    if (!r.is_stream(stream)) return cudaErrorInvalidResourceHandle;
    for (size_t i = 0; i < batch.n; i++) {
      if (!is_managed(r, batch.addresses[i], batch.sizes[i])) return cudaErrorInvalidValue;
      if (!prefetch) continue;
      const cudaMemLocation location = *location_of(batch, i);
      if (const cudaError_t error = check_location(r, location); error != cudaSuccess) return error;
      if (const cudaError_t error = move_pages(r, batch.addresses[i], batch.sizes[i], location, stream);
          error != cudaSuccess)
        return error;
    }
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t cudaMemPrefetchAsync(const void* p, size_t bytes, cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
  return api([&](Runtime& r) {
    if (flags != 0 || !is_managed(r, p, bytes)) return cudaErrorInvalidValue;
    if (const cudaError_t error = check_location(r, location); error != cudaSuccess) return error;
    if (!r.is_stream(stream)) return cudaErrorInvalidResourceHandle;
    return move_pages(r, p, bytes, location, stream);
  });
}
ROOFLINE_EXPORT cudaError_t cudaMemPrefetchAsync_ptsz(const void* p, size_t bytes, cudaMemLocation location,
                                                      unsigned flags, cudaStream_t stream) {
  return cudaMemPrefetchAsync(p, bytes, location, flags, per_thread(stream));
}

cudaError_t cudaMemAdvise(const void* p, size_t bytes, cudaMemoryAdvise what, cudaMemLocation location) {
  return api([&](Runtime& r) {
    if (what < cudaMemAdviseSetReadMostly || what > cudaMemAdviseUnsetAccessedBy || !is_managed(r, p, bytes))
      return cudaErrorInvalidValue;
    if (needs_location(what))
      if (const cudaError_t error = check_location(r, location); error != cudaSuccess) return error;
    r.managed.change(address_of(p), bytes, [&](Advice& advice) { advise(advice, what, location); });
    return cudaSuccess;
  });
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t data_bytes, cudaMemRangeAttribute attribute,
                                     const void* p, size_t bytes) {
  return api([&](Runtime& r) { return range_attribute(r, data, data_bytes, attribute, p, bytes); });
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* data_bytes, cudaMemRangeAttribute* attributes,
                                      size_t n, const void* p, size_t bytes) {
  return api([&](Runtime& r) {
    if (!data || !data_bytes || !attributes || n == 0) return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++)
      if (const cudaError_t error = range_attribute(r, data[i], data_bytes[i], attributes[i], p, bytes);
          error != cudaSuccess)
        return error;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPrefetchBatchAsync(void** addresses, size_t* sizes, size_t n, cudaMemLocation* locations,
                                      size_t* location_begins, size_t n_locations, unsigned long long flags,
                                      cudaStream_t stream) {
  return run_batch({addresses, sizes, n, locations, location_begins, n_locations}, true, flags, stream);
}
ROOFLINE_EXPORT cudaError_t cudaMemPrefetchBatchAsync_ptsz(void** addresses, size_t* sizes, size_t n,
                                                           cudaMemLocation* locations,
                                                           size_t* location_begins, size_t n_locations,
                                                           unsigned long long flags, cudaStream_t stream) {
  return cudaMemPrefetchBatchAsync(addresses, sizes, n, locations, location_begins, n_locations, flags,
                                   per_thread(stream));
}
/// Discarded contents are undefined: leaving them is allowed.
cudaError_t cudaMemDiscardBatchAsync(void** addresses, size_t* sizes, size_t n, unsigned long long flags,
                                     cudaStream_t stream) {
  return run_batch({addresses, sizes, n}, false, flags, stream);
}
ROOFLINE_EXPORT cudaError_t cudaMemDiscardBatchAsync_ptsz(void** addresses, size_t* sizes, size_t n,
                                                          unsigned long long flags, cudaStream_t stream) {
  return cudaMemDiscardBatchAsync(addresses, sizes, n, flags, per_thread(stream));
}
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void** addresses, size_t* sizes, size_t n,
                                                cudaMemLocation* locations, size_t* location_begins,
                                                size_t n_locations, unsigned long long flags,
                                                cudaStream_t stream) {
  return cudaMemPrefetchBatchAsync(addresses, sizes, n, locations, location_begins, n_locations, flags,
                                   stream);
}
ROOFLINE_EXPORT cudaError_t cudaMemDiscardAndPrefetchBatchAsync_ptsz(
    void** addresses, size_t* sizes, size_t n, cudaMemLocation* locations, size_t* location_begins,
    size_t n_locations, unsigned long long flags, cudaStream_t stream) {
  return cudaMemPrefetchBatchAsync(addresses, sizes, n, locations, location_begins, n_locations, flags,
                                   per_thread(stream));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* p, size_t bytes, unsigned flags) {
  return api([&](Runtime& r) {
    if (!r.is_stream(stream)) return cudaErrorInvalidResourceHandle;
    const auto* found = r.host_allocation(p);
    if (!found || !found->second.managed || found->first != address_of(p)) return cudaErrorInvalidValue;
    if (bytes != 0 && bytes != found->second.bytes) return cudaErrorInvalidValue;
    const bool known =
        flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    const bool no_stream = stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
    return known && !(flags == cudaMemAttachSingle && no_stream) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void* p, size_t bytes,
                                                          unsigned flags) {
  return cudaStreamAttachMemAsync(per_thread(stream), p, bytes, flags);
}
