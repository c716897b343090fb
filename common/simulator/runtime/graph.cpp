// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/graph.h"

#include <algorithm>
#include <queue>

#include "simulator/runtime/launch_attributes.h"
#include "simulator/runtime/user_object.h"

namespace roofline::sim::runtime {
namespace {

/// One counter for nodes and graphs: 0 is nobody's.
u64 next_id() {
  static u64 last = 0;
  return ++last;
}

}  // namespace

bool KernelCall::cooperative() const {
  return std::any_of(attributes.begin(), attributes.end(), [](const KernelAttribute& a) {
    return a.id == cudaLaunchAttributeCooperative && a.value.cooperative;
  });
}

dim3 KernelCall::cluster() const {
  for (const KernelAttribute& a : attributes)
    if (a.id == cudaLaunchAttributeClusterDimension)
      return {a.value.clusterDim.x, a.value.clusterDim.y, a.value.clusterDim.z};
  return {0, 0, 0};
}

int KernelCall::priority() const {
  for (const KernelAttribute& a : attributes)
    if (a.id == cudaLaunchAttributePriority) return clamped_priority(a.value.priority);
  return kLeastPriority;
}

bool WordsCall::waits() const {
  return std::any_of(operations.begin(), operations.end(),
                     [](const WordOperation& each) { return each.kind != WordOperation::Kind::kWrite; });
}

cudaGraphNodeType type_of(const Work& work) {
  // CU_GRAPH_NODE_TYPE_BATCH_MEM_OP, which the runtime has no name for.
  constexpr auto kGraphNodeTypeBatchMemOp = static_cast<cudaGraphNodeType>(12);
  constexpr cudaGraphNodeType kTypes[] = {
      cudaGraphNodeTypeKernel,    cudaGraphNodeTypeMemcpy,      cudaGraphNodeTypeMemset,
      cudaGraphNodeTypeHost,      cudaGraphNodeTypeGraph,       cudaGraphNodeTypeEmpty,
      cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeMemAlloc,
      cudaGraphNodeTypeMemFree,   cudaGraphNodeTypeConditional, kGraphNodeTypeBatchMemOp};
  return kTypes[work.index()];
}

Work clone(const Work& work) {
  return std::visit(
      []<class T>(const T& call) -> Work {
        if constexpr (std::is_same_v<T, ChildCall>)
          return ChildCall{call.graph->clone()};
        else if constexpr (std::is_same_v<T, ConditionalCall>) {
          ConditionalCall copy{call.condition, call.type, {}, {}};
          for (const auto& body : call.bodies) copy.bodies.push_back(body->clone());
          for (const auto& body : copy.bodies) copy.handles.push_back(handle(body.get()));
          return copy;
        } else
          return call;
      },
      work);
}

std::vector<Graph*> graphs_in(const Work& work) {
  std::vector<Graph*> graphs;
  if (const auto* child = std::get_if<ChildCall>(&work)) graphs.push_back(child->graph.get());
  if (const auto* conditional = std::get_if<ConditionalCall>(&work))
    for (const auto& body : conditional->bodies) graphs.push_back(body.get());
  return graphs;
}

Graph::Graph() : id(next_id()) { LiveGraphs::instance().graphs.insert(this); }

Graph::~Graph() {
  for (const auto& node : nodes) LiveGraphs::instance().nodes.erase(node.get());
  LiveGraphs::instance().graphs.erase(this);
  for (const auto& [object, count] : objects) release(object, count);
}

Node& Graph::add(Work work, std::vector<Edge> dependencies) {
  Node& node = *nodes.emplace_back(std::make_unique<Node>());
  node.graph = this;
  node.id = next_id();
  node.device = Runtime::instance().target();
  node.work = std::move(work);
  node.dependencies = std::move(dependencies);
  for (const Edge& edge : node.dependencies) edge.from->dependents.push_back(&node);
  for (Graph* inner : graphs_in(node.work)) inner->parent = &node;
  LiveGraphs::instance().nodes.insert(&node);
  return node;
}

void Graph::remove(Node& node) {
  for (const Edge& edge : node.dependencies) std::erase(edge.from->dependents, &node);
  for (Node* dependent : node.dependents)
    std::erase_if(dependent->dependencies, [&](const Edge& edge) { return edge.from == &node; });
  LiveGraphs::instance().nodes.erase(&node);
  std::erase_if(nodes, [&](const auto& each) { return each.get() == &node; });
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>();
  copy->cloned_from = id;
  for (const auto& node : nodes) copy->by_original[node->id] = &copy->add(runtime::clone(node->work), {});
  for (const auto& node : nodes) {
    Node& mine = *copy->by_original[node->id];
    mine.device = node->device;
    for (const Edge& edge : node->dependencies) {
      Node* from = copy->by_original[edge.from->id];
      mine.dependencies.push_back({from, edge.data});
      from->dependents.push_back(&mine);
    }
  }
  copy->conditions = conditions;
  for (const auto& [object, count] : objects) {
    retain(object, count);
    copy->objects[object] = count;
  }
  return copy;
}

std::vector<Node*> Graph::ordered() const {
  std::unordered_map<const Node*, size_t> place, waiting;
  for (size_t i = 0; i < nodes.size(); i++) {
    place[nodes[i].get()] = i;
    waiting[nodes[i].get()] = nodes[i]->dependencies.size();
  }
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < nodes.size(); i++)
    if (nodes[i]->dependencies.empty()) ready.push(i);
  std::vector<Node*> order;
  while (!ready.empty()) {
    Node* node = nodes[ready.top()].get();
    ready.pop();
    order.push_back(node);
    for (Node* dependent : node->dependents)
      if (--waiting[dependent] == 0) ready.push(place[dependent]);
  }
  return order;
}

bool Graph::has_memory() const {
  return std::any_of(nodes.begin(), nodes.end(), [](const auto& node) {
    const std::vector<Graph*> inner = graphs_in(node->work);
    return std::holds_alternative<AllocateCall>(node->work) || std::holds_alternative<FreeCall>(node->work) ||
           std::any_of(inner.begin(), inner.end(), [](const Graph* each) { return each->has_memory(); });
  });
}

LiveGraphs& LiveGraphs::instance() {
  static LiveGraphs* const live = new LiveGraphs;  // programs call CUDA from their own static destructors
  return *live;
}

Graph* LiveGraphs::find(cudaGraph_t graph) const {
  return graphs.contains(graph) ? reinterpret_cast<Graph*>(graph) : nullptr;
}

Node* LiveGraphs::find(cudaGraphNode_t node) const {
  return nodes.contains(node) ? reinterpret_cast<Node*>(node) : nullptr;
}

}  // namespace roofline::sim::runtime
