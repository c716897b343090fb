// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Attributes of streams: hints, which are kept and given back, and the priority.
#include <algorithm>

#include "simulator/runtime/launch_attributes.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

bool is_stream_attribute(cudaStreamAttrID id) {
  return id == cudaLaunchAttributeAccessPolicyWindow || id == cudaLaunchAttributeSynchronizationPolicy ||
         id == cudaLaunchAttributePriority || id == cudaLaunchAttributeMemSyncDomainMap ||
         id == cudaLaunchAttributeMemSyncDomain;
}

cudaStreamAttrValue default_value(cudaStreamAttrID id) {
  cudaStreamAttrValue value{};
  if (id == cudaLaunchAttributeSynchronizationPolicy) value.syncPolicy = cudaSyncPolicyAuto;
  if (id == cudaLaunchAttributeMemSyncDomain) value.memSyncDomain = cudaLaunchMemSyncDomainDefault;
  if (id == cudaLaunchAttributeMemSyncDomainMap) value.memSyncDomainMap = {0, 0};
  return value;
}

/// The attributes of a live stream; default streams have some, too.
StreamAttributes& attributes_of(Runtime& r, u32 number) { return r.stream_attributes[{r.target(), number}]; }

}  // namespace

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID id,
                                   const cudaStreamAttrValue* value) {
  return api([&](Runtime& r) {
    if (!value || !is_stream_attribute(id)) return cudaErrorInvalidValue;
    const s64 number = r.queue_id(stream);
    if (number < 0) return cudaErrorInvalidResourceHandle;
    if (!is_valid_attribute(r, id, *value)) return cudaErrorInvalidValue;
    if (id == cudaLaunchAttributePriority) {
      Stream* found = r.find_stream(stream);
      if (!found) return cudaErrorInvalidValue;  // default streams have the default priority
      found->priority = clamped_priority(value->priority);
      return cudaSuccess;
    }
    attributes_of(r, static_cast<u32>(number))[id] = *value;
    return cudaSuccess;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t stream, cudaStreamAttrID id,
                                                        const cudaStreamAttrValue* value) {
  return cudaStreamSetAttribute(per_thread(stream), id, value);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID id, cudaStreamAttrValue* value) {
  return api([&](Runtime& r) {
    if (!value || !is_stream_attribute(id)) return cudaErrorInvalidValue;
    const s64 number = r.queue_id(stream);
    if (number < 0) return cudaErrorInvalidResourceHandle;
    const StreamAttributes& known = attributes_of(r, static_cast<u32>(number));
    const auto found = known.find(id);
    *value = found == known.end() ? default_value(id) : found->second;
    if (id == cudaLaunchAttributePriority)
      if (const Stream* made = r.find_stream(stream)) value->priority = made->priority;
    return cudaSuccess;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t stream, cudaStreamAttrID id,
                                                        cudaStreamAttrValue* value) {
  return cudaStreamGetAttribute(per_thread(stream), id, value);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return api([&](Runtime& r) {
    const s64 source = r.queue_id(from);
    const int source_device = r.target();
    if (source < 0) return cudaErrorInvalidResourceHandle;
    const StreamAttributes copied = attributes_of(r, static_cast<u32>(source));
    const s64 target = r.queue_id(to);
    if (target < 0) return cudaErrorInvalidResourceHandle;
    if (r.target() != source_device) return cudaErrorInvalidValue;  // both in one context
    attributes_of(r, static_cast<u32>(target)) = copied;
    Stream* const changed = r.find_stream(to);
    const Stream* const model = r.find_stream(from);
    if (changed) changed->priority = model ? model->priority : 0;
    return cudaSuccess;
  });
}
ROOFLINE_EXPORT cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t to, cudaStream_t from) {
  return cudaStreamCopyAttributes(per_thread(to), per_thread(from));
}

/// Access policies are hints that the cache model does not follow: there is nothing to reset.
cudaError_t cudaCtxResetPersistingL2Cache() {
  return api([](Runtime& r) {
    r.connection();
    return cudaSuccess;
  });
}
