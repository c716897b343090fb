// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Submissions of several pieces, graphs and what kernels launch: the timeline and the checks both want to
// know which piece comes after which.
#include <algorithm>

#include "simulator/server/answers.h"

namespace roofline::sim::server {

bool ExecutableGraph::forks() const {
  for (const auto& [body, order] : orders)
    for (size_t i = 1; i < order.size(); ++i) {
      const std::vector<u32>& after = nodes[order[i]].dependencies;
      if (std::find(after.begin(), after.end(), order[i - 1]) == after.end()) return true;
    }
  return false;
}

WorkId Server::begin_graph(u32 stream, u64 nodes, bool forks, u64 executable) {
  if (checks_) checks_->streams().begin_graph(stream, forks, executable);
  return timeline_.begin_graph(stream, nodes);
}

void Server::begin_node(u32 stream, std::vector<WorkId> after) {
  if (checks_) checks_->streams().begin_node(stream, after);
  // No node runs before the region that it is counted in.
  timeline_.begin_node(std::move(after), records_.region_began());
  in_node_ = true;
}

WorkId Server::end_node(u32 stream) {
  const WorkId node = timeline_.end_node();
  in_node_ = false;
  if (checks_) checks_->streams().end_node(stream, node);
  return node;
}

void Server::end_graph(u32 stream, WorkId begin, std::vector<WorkId> nodes) {
  if (checks_) checks_->streams().end_graph(stream);
  timeline_.end_graph(stream, begin, std::move(nodes));
}

}  // namespace roofline::sim::server
