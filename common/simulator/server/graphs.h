// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "simulator/channel/messages.h"

namespace roofline::sim::server {

/// A definition that was checked, with the order in which its nodes execute.
struct ExecutableGraph {
  std::vector<channel::GraphNode> nodes;
  std::vector<u32> order;
};

/// One launch of an executable graph. It keeps the definition it was launched with: later updates do not
/// change it. Other commands are served while it waits for the program.
struct GraphRun {
  std::shared_ptr<const ExecutableGraph> graph;
  u32 stream = 0;
  u64 launch = 0;  ///< number in the region
  double begin = 0, end = 0;
  std::vector<double> ends;   ///< of the nodes that executed, by place
  size_t next = 0;            ///< in the order
  bool stopped = false;       ///< at `next`, for the program
  u64 served = 0;             ///< stops that the program has dealt with
  u64 offset = 0, bytes = 0;  ///< piece of a copy that the stop is about
};

}  // namespace roofline::sim::server
