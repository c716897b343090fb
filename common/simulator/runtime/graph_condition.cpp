// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Conditional nodes of graphs: handles, and nodes with bodies. Kernels set the value behind a handle with
// cudaGraphSetConditional, which the machine knows.
#include <map>

#include "simulator/runtime/graph_nodes.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

/// By handle.
std::map<u64, std::weak_ptr<Condition>>& conditions() {
  static auto* const all = new std::map<u64, std::weak_ptr<Condition>>;
  return *all;
}

std::shared_ptr<Condition> find_condition(cudaGraphConditionalHandle handle) {
  const auto found = conditions().find(handle);
  return found == conditions().end() ? nullptr : found->second.lock();
}

bool is_size(cudaGraphConditionalNodeType type, unsigned bodies) {
  switch (type) {
    case cudaGraphCondTypeIf:
      return bodies == 1 || bodies == 2;
    case cudaGraphCondTypeWhile:
      return bodies == 1;
    case cudaGraphCondTypeSwitch:
      return bodies >= 1;
  }
  return false;
}

}  // namespace

Condition::~Condition() {
  conditions().erase(number);
  Runtime& runtime = Runtime::instance();
  if (!runtime.connected() || runtime.forked) return;
  try {
    runtime.aim(device);
    runtime.connection().post(DestroyCondition{number});
  } catch (const ConnectionLost& lost) {
    (void)connection_error(lost);  // the machine is gone, and with it the value
  }
}

cudaError_t make_conditional(cudaConditionalNodeParams& p, Work& work) {
  ConditionalCall call;
  call.condition = find_condition(p.handle);
  call.type = p.type;
  if (!call.condition || !is_size(p.type, p.size)) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < p.size; i++) {
    call.bodies.push_back(std::make_unique<Graph>());
    call.handles.push_back(handle(call.bodies.back().get()));
  }
  p.phGraph_out = call.handles.data();
  work = std::move(call);
  return cudaSuccess;
}

}  // namespace roofline::sim::runtime

using namespace roofline::sim::runtime;
using namespace roofline::sim::channel;

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned value, unsigned flags) {
  return api([&](Runtime& r) {
    Graph* const found = LiveGraphs::instance().find(graph);
    if (!handle || !found || (flags & ~static_cast<unsigned>(cudaGraphCondAssignDefault)))
      return cudaErrorInvalidValue;
    Address made;
    if (const Status status = r.connection().call(CreateCondition{}, made); status != Status::kOk)
      return to_cuda(status);
    auto condition = std::make_shared<Condition>(made.address, r.target());
    condition->assigned = (flags & cudaGraphCondAssignDefault) != 0;
    condition->value = value;
    conditions()[made.address] = condition;
    found->conditions.push_back(std::move(condition));
    *handle = made.address;
    return cudaSuccess;
  });
}
