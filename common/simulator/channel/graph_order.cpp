// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/channel/graph_order.h"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "random/philox.h"

namespace roofline::sim::channel {

namespace {

/// Each body has one conditional node, and nodes of it only where it has; no body is in itself, or very deep.
bool has_sound_bodies(const GraphDefinition& graph) {
  constexpr u32 kDeepest = 64;
  std::map<u32, u32> outer;  // of a body: the one that its conditional node is in
  for (const GraphNode& node : graph.nodes)
    if (node.kind == GraphNode::Kind::kCondition) {
      if (node.condition.kind > GraphCondition::Kind::kSwitch) return false;
      for (const u32 body : node.condition.bodies)
        if (body <= node.body || !outer.emplace(body, node.body).second) return false;
    }
  std::map<u32, u32> depth{{0, 0}};
  for (const auto& [body, around] : outer) {  // an outer body has a smaller number
    const auto found = depth.find(around);
    if (found == depth.end() || found->second == kDeepest) return false;
    depth[body] = found->second + 1;
  }
  return std::all_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const GraphNode& node) { return depth.contains(node.body); });
}

}  // namespace

std::optional<GraphDefinition> decode_graph(std::span<const std::byte> bytes) {
  u32 count = 0;
  Reader{bytes}(count);
  if (count > kMaxGraphNodes) return {};
  GraphDefinition graph;
  Reader in(bytes);
  in(graph);
  if (!in.complete()) return {};
  for (const GraphNode& node : graph.nodes) {
    if (node.kind > GraphNode::Kind::kWords || node.body > kMaxGraphNodes) return {};
    for (const u32 from : node.dependencies)
      if (from >= graph.nodes.size() || graph.nodes[from].body != node.body) return {};
  }
  if (!has_sound_bodies(graph)) return {};
  return graph;
}

namespace {

using Edges = std::vector<std::vector<u32>>;

/// An order in which each node follows its dependencies: of the nodes that may run, the one with the highest
/// rank, then by the draw, then the one added last. Shorter than the graph when there is a cycle.
std::vector<u32> order_by(const std::vector<u32>& rank, const GraphDefinition& graph, const Edges& dependents,
                          std::optional<u64> seed) {
  const auto drawn = [&](u32 node) { return seed ? philox(*seed, node).word[0] : 0; };
  std::vector<size_t> waiting(graph.nodes.size());
  std::priority_queue<std::tuple<u32, u32, u32>> ready;
  for (u32 i = 0; i < graph.nodes.size(); i++) {
    waiting[i] = graph.nodes[i].dependencies.size();
    if (waiting[i] == 0) ready.push({rank[i], drawn(i), i});
  }
  std::vector<u32> order;
  while (!ready.empty()) {
    order.push_back(std::get<2>(ready.top()));
    ready.pop();
    for (const u32 next : dependents[order.back()])
      if (--waiting[next] == 0) ready.push({rank[next], drawn(next), next});
  }
  return order;
}

}  // namespace

std::optional<std::vector<u32>> execution_order(const GraphDefinition& graph, std::optional<u64> seed) {
  Edges dependents(graph.nodes.size());
  for (u32 i = 0; i < graph.nodes.size(); i++)
    for (const u32 from : graph.nodes[i].dependencies) dependents[from].push_back(i);
  std::vector<u32> rank(graph.nodes.size());  // nodes on the longest way to an end
  const std::vector<u32> any = order_by(rank, graph, dependents, {});
  if (any.size() != graph.nodes.size()) return {};
  for (auto node = any.rbegin(); node != any.rend(); ++node)
    for (const u32 next : dependents[*node]) rank[*node] = std::max(rank[*node], rank[next] + 1);
  return order_by(rank, graph, dependents, seed);
}

}  // namespace roofline::sim::channel
