// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Host functions, child graphs, empty nodes, events; and the functions for nodes of any kind.
#include "simulator/runtime/graph_nodes.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t n, const cudaHostNodeParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return add_node(node, graph, dependencies, nullptr, n,
                  [&](Runtime&, Work& work) { return make_host(*p, work); });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* p) {
  return with_node<HostCall>(node, [&](Runtime&, Node&, const HostCall& call) {
    if (!p) return cudaErrorInvalidValue;
    *p = {call.function, call.data};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return change_node<HostCall>(node, [&](Runtime&, const Work&, Work& work) { return make_host(*p, work); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, size_t n, cudaGraph_t child) {
  return add_node(node, graph, dependencies, nullptr, n,
                  [&](Runtime&, Work& work) { return make_child(child, false, work); });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return with_node<ChildCall>(node, [&](Runtime&, Node&, const ChildCall& call) {
    if (!graph) return cudaErrorInvalidValue;
    *graph = handle(call.graph.get());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, size_t n) {
  return add_node(node, graph, dependencies, nullptr, n, [&](Runtime&, Work& work) {
    work = EmptyCall{};
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, size_t n, cudaEvent_t event) {
  return add_node(node, graph, dependencies, nullptr, n,
                  [&](Runtime& r, Work& work) { return make_record(r, event, work); });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return with_node<RecordCall>(node, [&](Runtime&, Node&, const RecordCall& call) {
    if (!event) return cudaErrorInvalidValue;
    *event = call.event;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return change_node<RecordCall>(
      node, [&](Runtime& r, const Work&, Work& work) { return make_record(r, event, work); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, size_t n, cudaEvent_t event) {
  return add_node(node, graph, dependencies, nullptr, n,
                  [&](Runtime& r, Work& work) { return make_wait(r, event, work); });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return with_node<WaitCall>(node, [&](Runtime&, Node&, const WaitCall& call) {
    if (!event) return cudaErrorInvalidValue;
    *event = call.event;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return change_node<WaitCall>(
      node, [&](Runtime& r, const Work&, Work& work) { return make_wait(r, event, work); });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                             const cudaGraphEdgeData* data, size_t n, cudaGraphNodeParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  const cudaError_t error = add_node(node, graph, dependencies, data, n,
                                     [&](Runtime& r, Work& work) { return make_work(r, *p, nullptr, work); });
  // The handle of the node's own graph is an output.
  if (error == cudaSuccess && p->type == cudaGraphNodeTypeGraph)
    return cudaGraphChildGraphNodeGetGraph(*node, &p->graph.graph);
  return error;
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
  return api([&](Runtime& r) {
    Node* const found = LiveGraphs::instance().find(node);
    if (!p || !found || type_of(found->work) != p->type) return cudaErrorInvalidValue;
    if (p->type == cudaGraphNodeTypeGraph) return cudaErrorNotSupported;
    Work work;
    if (const cudaError_t error = make_work(r, *p, &found->work, work); error != cudaSuccess) return error;
    found->work = std::move(work);
    return cudaSuccess;
  });
}
