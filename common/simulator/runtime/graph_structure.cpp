// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Graphs as structures: creation, edges, questions, clones.
#include <algorithm>

#include "simulator/runtime/graph_nodes.h"

namespace roofline::sim::runtime {
namespace {

bool is_edge(const Node& from, const cudaGraphEdgeData& data) {
  const bool kernel = std::holds_alternative<KernelCall>(from.work);
  return data.to_port == 0 && data.type <= cudaGraphDependencyTypeProgrammatic &&
         data.from_port <= cudaGraphKernelNodePortLaunchCompletion && (data.from_port == 0 || kernel) &&
         (data.type == cudaGraphDependencyTypeDefault || data.from_port != 0);
}

Edge* find_edge(Node& from, Node& to) {
  for (Edge& edge : to.dependencies)
    if (edge.from == &from) return &edge;
  return nullptr;
}

/// Answers in CUDA's way: without a list the number; with one as many as fit, the rest of the room null.
template <class Item>
void tell(const std::vector<Item>& all, Item* list, size_t room) {
  for (size_t i = 0; i < room; i++) list[i] = i < all.size() ? all[i] : Item{};
}

cudaError_t tell_nodes(const std::vector<cudaGraphNode_t>& all, cudaGraphNode_t* nodes, size_t* n) {
  if (nodes) {
    tell(all, nodes, *n);
    *n = std::min(*n, all.size());
  } else {
    *n = all.size();
  }
  return cudaSuccess;
}

bool is_lossy(const std::vector<cudaGraphEdgeData>& data) {
  return !std::all_of(data.begin(), data.end(), [](const auto& each) { return each == cudaGraphEdgeData{}; });
}

cudaError_t tell_neighbours(const std::vector<cudaGraphNode_t>& all,
                            const std::vector<cudaGraphEdgeData>& edges, cudaGraphNode_t* nodes,
                            cudaGraphEdgeData* data, size_t* n) {
  if (data && !nodes) return cudaErrorInvalidValue;
  if (nodes && !data && is_lossy(edges)) return cudaErrorLossyQuery;
  if (data) tell(edges, data, *n);
  return tell_nodes(all, nodes, n);
}

}  // namespace

bool read_edges(const Graph& graph, const cudaGraphNode_t* nodes, const cudaGraphEdgeData* data, size_t n,
                std::vector<Edge>& edges) {
  if (n && !nodes) return false;
  std::unordered_set<const Node*> seen;
  for (size_t i = 0; i < n; i++) {
    Node* const node = LiveGraphs::instance().find(nodes[i]);
    if (!node || node->graph != &graph || !seen.insert(node).second) return false;
    const Edge edge{node, data ? data[i] : cudaGraphEdgeData{}};
    if (!is_edge(*node, edge.data)) return false;
    edges.push_back(edge);
  }
  return true;
}

}  // namespace roofline::sim::runtime

using namespace roofline::sim;
using namespace roofline::sim::runtime;

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return api([&](Runtime&) {
    if (!graph || flags != 0) return cudaErrorInvalidValue;
    auto made = std::make_unique<Graph>();
    *graph = handle(made.get());
    LiveGraphs::instance().owned[made.get()] = std::move(made);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api_with_objects([&](Runtime&) {
    Graph* const found = LiveGraphs::instance().find(graph);
    if (!found || found->capturing) return cudaErrorInvalidValue;
    auto owned = LiveGraphs::instance().owned.extract(found);
    return owned ? cudaSuccess : cudaErrorInvalidValue;  // a child graph belongs to its node
  });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return api([&](Runtime&) {
    Graph* const found = LiveGraphs::instance().find(original);
    if (!clone || !found) return cudaErrorInvalidValue;
    if (found->has_memory()) return cudaErrorNotSupported;
    auto made = found->clone();
    *clone = handle(made.get());
    LiveGraphs::instance().owned[made.get()] = std::move(made);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return api([&](Runtime&) {
    const Node* const asked = LiveGraphs::instance().find(original);
    const Graph* const graph = LiveGraphs::instance().find(clone);
    if (!node || !asked || !graph || graph->cloned_from != asked->graph->id) return cudaErrorInvalidValue;
    const auto found = graph->by_original.find(asked->id);
    // The clone's node may have been destroyed since.
    if (found == graph->by_original.end() || !LiveGraphs::instance().nodes.contains(found->second))
      return cudaErrorInvalidValue;
    *node = handle(found->second);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return api([&](Runtime&) {
    const Node* const found = LiveGraphs::instance().find(node);
    if (!found || !type) return cudaErrorInvalidValue;
    *type = type_of(found->work);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* n) {
  return api([&](Runtime&) {
    const Graph* const found = LiveGraphs::instance().find(graph);
    if (!found || !n) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (const auto& node : found->nodes) all.push_back(handle(node.get()));
    return tell_nodes(all, nodes, n);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* n) {
  return api([&](Runtime&) {
    const Graph* const found = LiveGraphs::instance().find(graph);
    if (!found || !n) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    for (const auto& node : found->nodes)
      if (node->dependencies.empty()) all.push_back(handle(node.get()));
    return tell_nodes(all, nodes, n);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* data, size_t* n) {
  return api([&](Runtime&) {
    const Graph* const found = LiveGraphs::instance().find(graph);
    if (!found || !n || !from != !to || (data && !from)) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> sources, targets;
    std::vector<cudaGraphEdgeData> edges;
    for (const auto& node : found->nodes)
      for (const Edge& edge : node->dependencies) {
        sources.push_back(handle(edge.from));
        targets.push_back(handle(node.get()));
        edges.push_back(edge.data);
      }
    if (from && !data && is_lossy(edges)) return cudaErrorLossyQuery;
    size_t room = *n;
    if (data) tell(edges, data, *n);
    tell_nodes(sources, from, &room);
    return tell_nodes(targets, to, n);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* data, size_t* n) {
  return api([&](Runtime&) {
    const Node* const found = LiveGraphs::instance().find(node);
    if (!found || !n) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    std::vector<cudaGraphEdgeData> edges;
    for (const Edge& edge : found->dependencies) {
      all.push_back(handle(edge.from));
      edges.push_back(edge.data);
    }
    return tell_neighbours(all, edges, nodes, data, n);
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* data, size_t* n) {
  return api([&](Runtime&) {
    Node* const found = LiveGraphs::instance().find(node);
    if (!found || !n) return cudaErrorInvalidValue;
    std::vector<cudaGraphNode_t> all;
    std::vector<cudaGraphEdgeData> edges;
    for (Node* dependent : found->dependents) {
      all.push_back(handle(dependent));
      edges.push_back(find_edge(*found, *dependent)->data);
    }
    return tell_neighbours(all, edges, nodes, data, n);
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* data, size_t n) {
  return api([&](Runtime&) {
    const Graph* const found = LiveGraphs::instance().find(graph);
    if (!found || (n && (!from || !to))) return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
      Node *const first = LiveGraphs::instance().find(from[i]), *const second =
                                                                    LiveGraphs::instance().find(to[i]);
      const cudaGraphEdgeData edge = data ? data[i] : cudaGraphEdgeData{};
      if (!first || !second || first == second || first->graph != found || second->graph != found)
        return cudaErrorInvalidValue;
      if (find_edge(*first, *second) || !is_edge(*first, edge)) return cudaErrorInvalidValue;
      second->dependencies.push_back({first, edge});
      first->dependents.push_back(second);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* data, size_t n) {
  return api([&](Runtime&) {
    const Graph* const found = LiveGraphs::instance().find(graph);
    if (!found || (n && (!from || !to)) || found->has_memory()) return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
      Node *const first = LiveGraphs::instance().find(from[i]), *const second =
                                                                    LiveGraphs::instance().find(to[i]);
      if (!first || !second || first->graph != found) return cudaErrorInvalidValue;
      const Edge* const edge = find_edge(*first, *second);
      if (!edge || !(edge->data == (data ? data[i] : cudaGraphEdgeData{}))) return cudaErrorInvalidValue;
      std::erase_if(second->dependencies, [&](const Edge& each) { return each.from == first; });
      std::erase(first->dependents, second);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return api_with_objects([&](Runtime&) {
    Node* const found = LiveGraphs::instance().find(node);
    if (!found || found->graph->capturing || found->graph->has_memory()) return cudaErrorInvalidValue;
    found->graph->remove(*found);
    return cudaSuccess;
  });
}
