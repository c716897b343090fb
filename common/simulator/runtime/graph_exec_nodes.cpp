// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// New parameters for single nodes of executable graphs.
#include "simulator/runtime/graph_exec.h"
#include "simulator/runtime/graph_work.h"
#include "simulator/runtime/user_object.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

/// `make(runtime, present work, new work)` for the node that stands for `original`, whose work is a Call.
template <class Call, class Make>
cudaError_t change(cudaGraphExec_t exec, cudaGraphNode_t original, Make&& make) {
  return api([&](Runtime& r) {
    GraphExec* const found = aim_at(r, exec);
    Node* const node = found ? find_in_exec(*found, original) : nullptr;
    if (!node || !std::holds_alternative<Call>(node->work)) return cudaErrorInvalidValue;
    Work work;
    if (const cudaError_t error = make(r, node->work, work); error != cudaSuccess) return error;
    if (!may_become(node->work, work)) return cudaErrorInvalidValue;
    return change_exec(r, *found, *node, std::move(work));
  });
}

cudaError_t change_child(Runtime& r, GraphExec& exec, Node& node, cudaGraph_t child) {
  const Graph* const graph = LiveGraphs::instance().find(child);
  if (!graph) return cudaErrorInvalidValue;
  cudaGraphExecUpdateResultInfo info;
  return update_exec(r, exec, *std::get<ChildCall>(node.work).graph, *graph, info);
}

bool can_be_disabled(const Work& work) {
  return std::holds_alternative<KernelCall>(work) || std::holds_alternative<CopyCall>(work) ||
         std::holds_alternative<FillCall>(work);
}

}  // namespace

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return change<KernelCall>(exec, node, [&](Runtime& r, const Work& present, Work& work) {
    return make_kernel(r, *p, std::get<KernelCall>(present).attributes, work);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  // CUDA documents that both must be one row; cards take several, too, as in a whole graph's update.
  return change<CopyCall>(exec, node, [&](Runtime&, const Work&, Work& work) { return make_copy(*p, work); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                               const void* from, size_t count, cudaMemcpyKind kind) {
  return change<CopyCall>(exec, node, [&](Runtime&, const Work&, Work& work) {
    return make_copy_1d(to, from, count, kind, work);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void* symbol, const void* from, size_t count,
                                                     size_t offset, cudaMemcpyKind kind) {
  return change<CopyCall>(exec, node, [&](Runtime& r, const Work&, Work& work) {
    return make_symbol_copy(r, symbol, nullptr, from, count, offset, kind, work);
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void* to,
                                                       const void* symbol, size_t count, size_t offset,
                                                       cudaMemcpyKind kind) {
  return change<CopyCall>(exec, node, [&](Runtime& r, const Work&, Work& work) {
    return make_symbol_copy(r, symbol, to, nullptr, count, offset, kind, work);
  });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return change<FillCall>(exec, node, [&](Runtime&, const Work&, Work& work) { return make_fill(*p, work); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return change<HostCall>(exec, node, [&](Runtime&, const Work&, Work& work) { return make_host(*p, work); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return api([&](Runtime& r) {
    GraphExec* const found = aim_at(r, exec);
    Node* const mine = found ? find_in_exec(*found, node) : nullptr;
    if (!mine || !std::holds_alternative<ChildCall>(mine->work)) return cudaErrorInvalidValue;
    return change_child(r, *found, *mine, child);
  });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return change<RecordCall>(exec, node,
                            [&](Runtime& r, const Work&, Work& work) { return make_record(r, event, work); });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return change<WaitCall>(exec, node,
                          [&](Runtime& r, const Work&, Work& work) { return make_wait(r, event, work); });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeParams* p) {
  return api([&](Runtime& r) {
    GraphExec* const found = aim_at(r, exec);
    Node* const mine = found ? find_in_exec(*found, node) : nullptr;
    if (!p || !mine || type_of(mine->work) != p->type) return cudaErrorInvalidValue;
    if (p->type == cudaGraphNodeTypeGraph) return change_child(r, *found, *mine, p->graph.graph);
    Work work;
    if (const cudaError_t error = make_work(r, *p, &mine->work, work); error != cudaSuccess) return error;
    if (!may_become(mine->work, work)) return cudaErrorInvalidValue;
    return change_exec(r, *found, *mine, std::move(work));
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  return api([&](Runtime& r) {
    GraphExec* const found = aim_at(r, exec);
    Node* const mine = found ? find_in_exec(*found, node) : nullptr;
    if (!mine || !can_be_disabled(mine->work)) return cudaErrorInvalidValue;
    GraphNode lowered;
    std::optional<ProgramPart> ignored;
    if (const cudaError_t error = lower(r, mine->work, lowered, ignored); error != cudaSuccess) return error;
    lowered.enabled = enabled != 0;
    if (const cudaError_t error = change_node(r, *found, found->places.at(mine), std::move(lowered));
        error != cudaSuccess)
      return error;
    if (enabled)
      found->disabled.erase(mine);
    else
      found->disabled.insert(mine);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned* enabled) {
  return api([&](Runtime&) {
    const GraphExec* const found = find_exec(exec);
    const Node* const mine = found ? find_in_exec(*found, node) : nullptr;
    if (!mine || !enabled || !can_be_disabled(mine->work)) return cudaErrorInvalidValue;
    *enabled = !found->disabled.contains(mine);
    return cudaSuccess;
  });
}
