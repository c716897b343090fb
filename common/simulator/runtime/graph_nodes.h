// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/runtime/graph_work.h"
#include "simulator/runtime/user_object.h"

/// What the functions that add, ask and change nodes of graphs have in common.
namespace roofline::sim::runtime {

/// Dependencies as edges; false when a node is not of the graph, is named twice, or the data is not that of
/// an edge.
bool read_edges(const Graph& graph, const cudaGraphNode_t* nodes, const cudaGraphEdgeData* data, size_t n,
                std::vector<Edge>& edges);

/// `make(runtime, work)` makes the new node's work.
template <class Make>
cudaError_t add_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                     const cudaGraphEdgeData* data, size_t n, Make&& make) {
  return api([&](Runtime& r) {
    Graph* const found = LiveGraphs::instance().find(graph);
    std::vector<Edge> edges;
    if (!node || !found || !read_edges(*found, dependencies, data, n, edges)) return cudaErrorInvalidValue;
    Work work;
    if (const cudaError_t error = make(r, work); error != cudaSuccess) return error;
    *node = handle(&found->add(std::move(work), std::move(edges)));
    return cudaSuccess;
  });
}

/// Runs `body(runtime, node, call)` for a node whose work is a Call.
template <class Call, class Body>
cudaError_t with_node(cudaGraphNode_t node, Body&& body) {
  return api([&](Runtime& r) {
    Node* const found = LiveGraphs::instance().find(node);
    Call* const call = found ? std::get_if<Call>(&found->work) : nullptr;
    return call ? body(r, *found, *call) : cudaErrorInvalidValue;
  });
}

/// Gives a node new work of the same kind.
template <class Call, class Make>
cudaError_t change_node(cudaGraphNode_t node, Make&& make) {
  return with_node<Call>(node, [&](Runtime& r, Node& found, Call&) {
    Work work;
    if (const cudaError_t error = make(r, found.work, work); error != cudaSuccess) return error;
    found.work = std::move(work);
    return cudaSuccess;
  });
}

}  // namespace roofline::sim::runtime
