// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulator/runtime/graph_nodes.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

bool is_node_attribute(cudaLaunchAttributeID id) {
  switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeClusterDimension:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
      return true;
    default:
      return false;
  }
}

}  // namespace

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t n,
                                   const cudaKernelNodeParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return add_node(node, graph, dependencies, nullptr, n,
                  [&](Runtime& r, Work& work) { return make_kernel(r, *p, {}, work); });
}

/// The pointers stay valid until the node changes; they point to the node's own copy of the arguments.
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* p) {
  return with_node<KernelCall>(node, [&](Runtime&, Node&, const KernelCall& call) {
    if (!p) return cudaErrorInvalidValue;
    *p = parameters_of(call);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return change_node<KernelCall>(node, [&](Runtime& r, const Work& present, Work& work) {
    return make_kernel(r, *p, std::get<KernelCall>(present).attributes, work);
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue* value) {
  return with_node<KernelCall>(node, [&](Runtime&, Node&, KernelCall& call) {
    if (!value) return cudaErrorInvalidValue;
    if (!is_node_attribute(id))
      return id == cudaLaunchAttributeDeviceUpdatableKernelNode ? cudaErrorNotSupported
                                                                : cudaErrorInvalidValue;
    std::erase_if(call.attributes, [&](const KernelAttribute& each) { return each.id == id; });
    call.attributes.push_back({id, *value});
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue* value) {
  return with_node<KernelCall>(node, [&](Runtime&, Node&, const KernelCall& call) {
    if (!value || !is_node_attribute(id)) return cudaErrorInvalidValue;
    *value = {};
    for (const KernelAttribute& each : call.attributes)
      if (each.id == id) *value = each.value;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to) {
  return with_node<KernelCall>(from, [&](Runtime&, Node&, const KernelCall& source) {
    Node* const found = LiveGraphs::instance().find(to);
    auto* const target = found ? std::get_if<KernelCall>(&found->work) : nullptr;
    if (!target) return cudaErrorInvalidValue;
    target->attributes = source.attributes;
    return cudaSuccess;
  });
}
