// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <vector>

#include "simulator/channel/messages.h"
#include "simulator/program/others.h"
#include "simulator/timing/timeline.h"

namespace roofline::sim::server {

/// A definition that was checked, with the order in which its nodes execute.
struct ExecutableGraph {
  std::vector<channel::GraphNode> nodes;
  /// Places by body, 0 being the graph itself; the other bodies run as part of conditional nodes.
  std::map<u32, std::vector<u32>> orders;
  bool own_priorities = false;
  bool may_wait = false;  ///< its kernels, in memory for what comes after them
  const std::vector<u32>& order() const { return orders.at(0); }
  /// Whether nodes may run side by side: they do not depend on each other one by one.
  bool forks() const;
};

/// One launch of an executable graph. It keeps the definition it was launched with: later updates do not
/// change it. Other commands are served while it waits for the program.
struct GraphRun {
  std::shared_ptr<const ExecutableGraph> graph;
  u32 stream = 0;
  u64 launch = 0;                         ///< number in the region
  s32 priority = 0;                       ///< of the stream
  WorkId begin = 0;                       ///< on the timeline
  std::vector<WorkId> ends;               ///< of the nodes, by place; 0: not executed yet
  size_t next = 0;                        ///< in the order
  bool stopped = false;                   ///< at `next`, for the program
  u64 served = 0;                         ///< stops that the program has dealt with
  u64 offset = 0, bytes = 0;              ///< piece of a copy that the stop is about
  size_t words = 0;                       ///< operations of the stop's node that are done
  const LetOthersGoOn* others = nullptr;  ///< while its kernels wait
};

}  // namespace roofline::sim::server
