// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Definitions of executable graphs, as a program leaves them in the staging memory: reading is total, and the
// order of execution keeps every dependency or is refused.
#include <cstdlib>

#include "simulator/channel/graph_order.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace roofline::sim;
  const auto graph = channel::decode_graph({reinterpret_cast<const std::byte*>(data), size});
  if (!graph) return 0;
  const auto order = channel::execution_order(*graph);
  if (!order) return 0;
  if (order->size() != graph->nodes.size()) std::abort();
  std::vector<bool> executed(graph->nodes.size());
  for (const u32 place : *order) {
    for (const u32 from : graph->nodes[place].dependencies)
      if (!executed[from]) std::abort();
    executed[place] = true;
  }
  return 0;
}
