// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/runtime/graph.h"
#include "simulator/runtime/runtime.h"

namespace roofline::sim::runtime {

/// Memory of an allocation node. Its address is known from the node's creation on, so the machine holds it
/// until the last graph that knows it is gone; what launches and frees change is whether it may be used.
struct GraphMemory {
  GraphMemory(u64 at, u64 size, int on) : address(at), bytes(size), device(on) {}
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

  u64 address, bytes;
  int device;
  bool in_use = false;          ///< allocated by a launch, not freed yet
  bool freed_in_graph = false;  ///< a free node exists
  unsigned mappings = 0;        ///< executables that were launched and are alive
};

/// Allocates the memory of a new allocation node.
cudaError_t make_graph_memory(Runtime& runtime, u64 bytes, std::shared_ptr<GraphMemory>& memory);
std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer);
/// cudaFree and cudaFreeAsync of memory that a graph allocated; false when it is not such memory.
bool free_graph_memory(const void* pointer, cudaError_t& error);
/// The first launch of an executable maps the memory of its graph, all of which `mapped` gets; its end takes
/// that back.
void map_memory(const Graph& graph, std::vector<std::shared_ptr<GraphMemory>>& mapped);
void unmap_memory(const std::vector<std::shared_ptr<GraphMemory>>& mapped);
/// What a launch of the graph does to its memory nodes; `automatic`: memory still in use is freed first.
cudaError_t launch_memory(const Graph& graph, bool automatic);

}  // namespace roofline::sim::runtime
