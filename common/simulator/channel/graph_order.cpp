// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/channel/graph_order.h"

#include <queue>

namespace roofline::sim::channel {

std::optional<GraphDefinition> decode_graph(std::span<const std::byte> bytes) {
  u32 count = 0;
  Reader{bytes}(count);
  if (count > kMaxGraphNodes) return {};
  GraphDefinition graph;
  Reader in(bytes);
  in(graph);
  if (!in.complete()) return {};
  for (const GraphNode& node : graph.nodes) {
    if (node.kind > GraphNode::Kind::kWaitEvent) return {};
    for (const u32 from : node.dependencies)
      if (from >= graph.nodes.size()) return {};
  }
  return graph;
}

std::optional<std::vector<u32>> execution_order(const GraphDefinition& graph) {
  std::vector<std::vector<u32>> dependents(graph.nodes.size());
  std::vector<size_t> waiting(graph.nodes.size());
  std::priority_queue<u32> ready;
  for (u32 i = 0; i < graph.nodes.size(); i++) {
    waiting[i] = graph.nodes[i].dependencies.size();
    if (waiting[i] == 0) ready.push(i);
    for (const u32 from : graph.nodes[i].dependencies) dependents[from].push_back(i);
  }
  std::vector<u32> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const u32 next : dependents[order.back()])
      if (--waiting[next] == 0) ready.push(next);
  }
  if (order.size() != graph.nodes.size()) return {};
  return order;
}

}  // namespace roofline::sim::channel
