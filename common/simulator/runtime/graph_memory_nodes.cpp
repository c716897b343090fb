// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Nodes that copy, fill, allocate and free.
#include "simulator/runtime/graph_memory.h"
#include "simulator/runtime/graph_nodes.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t n,
                                   const cudaMemcpy3DParms* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return add_node(node, graph, dependencies, nullptr, n,
                  [&](Runtime&, Work& work) { return make_copy(*p, work); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t n, void* to,
                                     const void* from, size_t count, cudaMemcpyKind kind) {
  return add_node(node, graph, dependencies, nullptr, n,
                  [&](Runtime&, Work& work) { return make_copy_1d(to, from, count, kind, work); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, size_t n, const void* symbol,
                                           const void* from, size_t count, size_t offset,
                                           cudaMemcpyKind kind) {
  return add_node(node, graph, dependencies, nullptr, n, [&](Runtime& r, Work& work) {
    return make_symbol_copy(r, symbol, nullptr, from, count, offset, kind, work);
  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, size_t n, void* to,
                                             const void* symbol, size_t count, size_t offset,
                                             cudaMemcpyKind kind) {
  return add_node(node, graph, dependencies, nullptr, n, [&](Runtime& r, Work& work) {
    return make_symbol_copy(r, symbol, to, nullptr, count, offset, kind, work);
  });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* p) {
  return with_node<CopyCall>(node, [&](Runtime&, Node&, const CopyCall& call) {
    if (!p) return cudaErrorInvalidValue;
    *p = call.given;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return change_node<CopyCall>(node, [&](Runtime&, const Work&, Work& work) { return make_copy(*p, work); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t count,
                                           cudaMemcpyKind kind) {
  return change_node<CopyCall>(
      node, [&](Runtime&, const Work&, Work& work) { return make_copy_1d(to, from, count, kind, work); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* from,
                                                 size_t count, size_t offset, cudaMemcpyKind kind) {
  return change_node<CopyCall>(node, [&](Runtime& r, const Work&, Work& work) {
    return make_symbol_copy(r, symbol, nullptr, from, count, offset, kind, work);
  });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol,
                                                   size_t count, size_t offset, cudaMemcpyKind kind) {
  return change_node<CopyCall>(node, [&](Runtime& r, const Work&, Work& work) {
    return make_symbol_copy(r, symbol, to, nullptr, count, offset, kind, work);
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t n, const cudaMemsetParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return add_node(node, graph, dependencies, nullptr, n,
                  [&](Runtime&, Work& work) { return make_fill(*p, work); });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* p) {
  return with_node<FillCall>(node, [&](Runtime&, Node&, const FillCall& call) {
    if (!p) return cudaErrorInvalidValue;
    *p = call.parameters;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return change_node<FillCall>(node, [&](Runtime&, const Work&, Work& work) { return make_fill(*p, work); });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t n,
                                     cudaMemAllocNodeParams* p) {
  if (!p) return remember(cudaErrorInvalidValue);
  return add_node(node, graph, dependencies, nullptr, n,
                  [&](Runtime& r, Work& work) { return make_allocation(r, *p, work); });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* p) {
  return with_node<AllocateCall>(node, [&](Runtime&, Node&, const AllocateCall& call) {
    if (!p) return cudaErrorInvalidValue;
    *p = call.parameters;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, size_t n, void* pointer) {
  return add_node(node, graph, dependencies, nullptr, n,
                  [&](Runtime&, Work& work) { return make_free(pointer, work); });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  return with_node<FreeCall>(node, [&](Runtime&, Node&, const FreeCall& call) {
    if (!pointer) return cudaErrorInvalidValue;
    *static_cast<void**>(pointer) = reinterpret_cast<void*>(call.memory->address);
    return cudaSuccess;
  });
}
