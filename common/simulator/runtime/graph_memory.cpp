// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/graph_memory.h"

#include <algorithm>

namespace roofline::sim::runtime {

using namespace channel;

namespace {

/// All memory of allocation nodes, by address, and what cudaDeviceGetGraphMemAttribute tells.
struct Pool {
  std::map<u64, std::weak_ptr<GraphMemory>> all;
  u64 used = 0, used_high = 0, reserved = 0, reserved_high = 0;
};
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

/// A card counts the memory that is mapped for some graph: also between launches, when nothing is in it.
bool counts(const GraphMemory& memory) { return memory.in_use || memory.mappings; }

void set(GraphMemory& memory, bool in_use, unsigned mappings) {
  const bool counted = counts(memory);
  memory.in_use = in_use;
  memory.mappings = mappings;
  if (counts(memory) == counted) return;
  Pool& p = pool();
  p.used += counted ? -memory.bytes : memory.bytes;
  p.used_high = std::max(p.used_high, p.used);
}

void use(GraphMemory& memory, bool in_use) { set(memory, in_use, memory.mappings); }

}  // namespace

GraphMemory::~GraphMemory() {
  pool().all.erase(address);
  pool().reserved -= bytes;
  if (counts(*this)) pool().used -= bytes;
  // Memory that a launch allocated and nothing freed is the program's to free.
  if (in_use) return;
  Runtime& runtime = Runtime::instance();
  if (!runtime.connected() || runtime.forked) return;
  const int target = runtime.target();
  try {
    runtime.aim(device);
    runtime.connection().call(Release{address, true, 0});
    runtime.aim(target);
  } catch (const ConnectionLost& lost) {
    (void)connection_error(lost);  // the machine is gone, and with it the memory
  }
}

cudaError_t make_graph_memory(Runtime& runtime, u64 bytes, std::shared_ptr<GraphMemory>& memory) {
  Address answer;
  const Status status = runtime.connection().call(Allocate{bytes, "graph memory node"}, answer);
  if (status != Status::kOk) return to_cuda(status);
  memory = std::make_shared<GraphMemory>(answer.address, bytes, runtime.target());
  Pool& p = pool();
  p.all[answer.address] = memory;
  p.reserved += bytes;
  p.reserved_high = std::max(p.reserved_high, p.reserved);
  return cudaSuccess;
}

std::shared_ptr<GraphMemory> find_graph_memory(const void* pointer) {
  const auto found = pool().all.find(reinterpret_cast<u64>(pointer));
  return found == pool().all.end() ? nullptr : found->second.lock();
}

bool free_graph_memory(const void* pointer, cudaError_t& error) {
  const auto memory = find_graph_memory(pointer);
  if (!memory) return false;
  error = memory->in_use && !memory->freed_in_graph ? cudaSuccess : cudaErrorInvalidValue;
  if (error == cudaSuccess) use(*memory, false);
  return true;
}

void map_memory(const Graph& graph, std::vector<std::shared_ptr<GraphMemory>>& mapped) {
  for (const auto& node : graph.nodes) {
    if (const auto* child = std::get_if<ChildCall>(&node->work)) map_memory(*child->graph, mapped);
    if (const auto* allocate = std::get_if<AllocateCall>(&node->work)) {
      GraphMemory& memory = *allocate->memory;
      set(memory, memory.in_use, memory.mappings + 1);
      mapped.push_back(allocate->memory);
    }
  }
}

void unmap_memory(const std::vector<std::shared_ptr<GraphMemory>>& mapped) {
  for (const auto& memory : mapped) set(*memory, memory->in_use, memory->mappings - 1);
}

cudaError_t launch_memory(const Graph& graph, bool automatic) {
  for (Node* node : graph.ordered()) {
    if (const auto* child = std::get_if<ChildCall>(&node->work)) {
      if (const cudaError_t error = launch_memory(*child->graph, automatic); error != cudaSuccess)
        return error;
    } else if (const auto* allocate = std::get_if<AllocateCall>(&node->work)) {
      if (allocate->memory->in_use && !automatic) return cudaErrorInvalidValue;
      use(*allocate->memory, true);
    } else if (const auto* free = std::get_if<FreeCall>(&node->work)) {
      if (!free->memory->in_use) return cudaErrorInvalidValue;
      use(*free->memory, false);
    }
  }
  return cudaSuccess;
}

}  // namespace roofline::sim::runtime

using namespace roofline::sim;
using namespace roofline::sim::runtime;

cudaError_t cudaDeviceGetGraphMemAttribute(int, cudaGraphMemAttributeType attribute, void* value) {
  return api([&](Runtime&) {
    if (!value) return cudaErrorInvalidValue;
    const Pool& p = pool();
    const u64 values[] = {p.used, p.used_high, p.reserved, p.reserved_high};
    if (attribute > cudaGraphMemAttrReservedMemHigh) return cudaErrorInvalidValue;
    *static_cast<u64*>(value) = values[attribute];
    return cudaSuccess;
  });
}

/// Only the high watermarks can be set, and only to zero: they start again from the present value.
cudaError_t cudaDeviceSetGraphMemAttribute(int, cudaGraphMemAttributeType attribute, void* value) {
  return api([&](Runtime&) {
    if (!value || *static_cast<u64*>(value) != 0) return cudaErrorInvalidValue;
    Pool& p = pool();
    if (attribute == cudaGraphMemAttrUsedMemHigh)
      p.used_high = p.used;
    else if (attribute == cudaGraphMemAttrReservedMemHigh)
      p.reserved_high = p.reserved;
    else
      return cudaErrorInvalidValue;
    return cudaSuccess;
  });
}

/// Memory goes back to the device when the last graph that knows it is gone; nothing is cached.
cudaError_t cudaDeviceGraphMemTrim(int) { return cudaSuccess; }
