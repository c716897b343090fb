// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/launch_attributes.h"

#include <algorithm>

namespace roofline::sim::runtime {
namespace {

bool is_window(const cudaAccessPolicyWindow& window, Runtime& r) {
  const auto known = [](cudaAccessProperty property) {
    return property == cudaAccessPropertyNormal || property == cudaAccessPropertyStreaming ||
           property == cudaAccessPropertyPersisting;
  };
  return window.hitRatio >= 0 && window.hitRatio <= 1 && known(window.hitProp) && known(window.missProp) &&
         window.missProp != cudaAccessPropertyPersisting && window.num_bytes <= r.device().memory_bytes;
}

bool is_policy(cudaSynchronizationPolicy policy) {
  return policy >= cudaSyncPolicyAuto && policy <= cudaSyncPolicyBlockingSync;
}

bool is_extent(unsigned x, unsigned y, unsigned z) { return x >= 1 && y >= 1 && z >= 1; }

}  // namespace

int clamped_priority(int priority) { return std::clamp(priority, kGreatestPriority, kLeastPriority); }

int priority_of(Runtime& runtime, cudaStream_t stream) {
  const Stream* const found = runtime.find_stream(stream);
  return found ? found->priority : kLeastPriority;
}

bool is_valid_attribute(Runtime& r, cudaLaunchAttributeID id, const cudaLaunchAttributeValue& value) {
  switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow:
      return is_window(value.accessPolicyWindow, r);
    case cudaLaunchAttributeSynchronizationPolicy:
      return is_policy(value.syncPolicy);
    case cudaLaunchAttributeMemSyncDomain:
      return value.memSyncDomain == cudaLaunchMemSyncDomainDefault ||
             value.memSyncDomain == cudaLaunchMemSyncDomainRemote;
    case cudaLaunchAttributeMemSyncDomainMap:
      return value.memSyncDomainMap.default_ < 4 && value.memSyncDomainMap.remote < 4;
    case cudaLaunchAttributeClusterDimension:
      return is_extent(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
    case cudaLaunchAttributePreferredClusterDimension:
      return is_extent(value.preferredClusterDim.x, value.preferredClusterDim.y, value.preferredClusterDim.z);
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
      return value.sharedMemCarveout <= 100;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributeProgrammaticStreamSerialization:
    case cudaLaunchAttributeProgrammaticEvent:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeLaunchCompletionEvent:
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
      return true;
    default:
      return false;
  }
}

cudaError_t read_attributes(Runtime& r, const cudaLaunchConfig_t& config, LaunchWishes& wishes) {
  if (config.numAttrs && !config.attrs) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < config.numAttrs; i++) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    const cudaLaunchAttributeValue& value = attribute.val;
    if (!is_valid_attribute(r, attribute.id, value)) return cudaErrorInvalidValue;
    if (attribute.id == cudaLaunchAttributeCooperative) wishes.cooperative = value.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension)
      wishes.cluster = dim3(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
    if (attribute.id == cudaLaunchAttributeProgrammaticEvent)
      wishes.after_end = value.programmaticEvent.event;
    if (attribute.id == cudaLaunchAttributeLaunchCompletionEvent)
      wishes.after_start = value.launchCompletionEvent.event;
    if (attribute.id == cudaLaunchAttributePriority) wishes.priority = clamped_priority(value.priority);
  }
  for (const cudaEvent_t event : {wishes.after_end, wishes.after_start})
    if (event && !r.find_event(event)) return cudaErrorInvalidResourceHandle;
  return cudaSuccess;
}

}  // namespace roofline::sim::runtime
