// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Changes to executable graphs: what may change, and how a whole graph is compared with one.
#include <algorithm>

#include "simulator/runtime/copy.h"
#include "simulator/runtime/graph_exec.h"
#include "simulator/runtime/graph_memory.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

/// Where memory lies decides which engine moves it: device, pinned or managed, and the program's own.
int memory_kind(const void* pointer) {
  return is_device_address(pointer) ? 0 : is_window_address(pointer) ? 1 : 2;
}

bool is_linear(const CopyRequest& q) { return q.height <= 1 && q.depth <= 1; }

/// Which node of one graph is which of the other: from the last nodes backwards along the edges.
class Pairing {
 public:
  explicit Pairing(cudaGraphExecUpdateResultInfo& info) : info_(info) {}

  bool pair(const Graph& mine, const Graph& other) {
    if (mine.nodes.size() != other.nodes.size()) return differ(nullptr, nullptr);
    std::vector<Node*> my_ends, other_ends;
    for (const auto& node : mine.nodes)
      if (node->dependents.empty()) my_ends.push_back(node.get());
    for (const auto& node : other.nodes)
      if (node->dependents.empty()) other_ends.push_back(node.get());
    if (my_ends.size() != other_ends.size())
      return differ(other_ends.empty() ? nullptr : other_ends.back(), nullptr);
    for (size_t i = 0; i < my_ends.size(); i++) match(my_ends[i], other_ends[i]);
    for (size_t i = 0; i < pairs.size(); i++)
      if (!pair_dependencies(*pairs[i].first, *pairs[i].second)) return false;
    return true;
  }

  std::vector<std::pair<Node*, Node*>> pairs;

 private:
  bool pair_dependencies(Node& mine, Node& other) {
    if (mine.dependencies.size() != other.dependencies.size()) return differ(&other, nullptr);
    for (size_t i = 0; i < mine.dependencies.size(); i++) {
      const Edge &a = mine.dependencies[i], &b = other.dependencies[i];
      if (!(a.data == b.data) || !match(a.from, b.from)) return differ(&other, b.from);
    }
    return true;
  }
  /// False when one of them is somebody else's already.
  bool match(Node* mine, Node* other) {
    const auto a = partner_.find(mine), b = partner_.find(other);
    if (a == partner_.end() && b == partner_.end()) {
      partner_[mine] = other;
      partner_[other] = mine;
      pairs.push_back({mine, other});
      return true;
    }
    return a != partner_.end() && a->second == other;
  }
  bool differ(Node* node, Node* from) {
    info_ = {cudaGraphExecUpdateErrorTopologyChanged, handle(node), handle(from)};
    return false;
  }

  cudaGraphExecUpdateResultInfo& info_;
  std::unordered_map<const Node*, Node*> partner_;
};

bool refuse(cudaGraphExecUpdateResultInfo& info, cudaGraphExecUpdateResult why, Node* node) {
  info = {why, handle(node), nullptr};
  return false;
}

/// Collects all pairs of nodes of two graphs, child graphs included, and checks that each may change.
bool compare(const Graph& mine, const Graph& other, std::vector<std::pair<Node*, Node*>>& all,
             cudaGraphExecUpdateResultInfo& info) {
  Pairing pairing(info);
  if (!pairing.pair(mine, other)) return false;
  for (const auto& [node, next] : pairing.pairs) {
    if (node->work.index() != next->work.index())
      return refuse(info, cudaGraphExecUpdateErrorNodeTypeChanged, next);
    if (const auto* child = std::get_if<ChildCall>(&node->work)) {
      if (!compare(*child->graph, *std::get<ChildCall>(next->work).graph, all, info)) return false;
      continue;
    }
    if (const auto* conditional = std::get_if<ConditionalCall>(&node->work)) {
      const auto& other_one = std::get<ConditionalCall>(next->work);
      if (conditional->type != other_one.type || conditional->bodies.size() != other_one.bodies.size())
        return refuse(info, cudaGraphExecUpdateErrorParametersChanged, next);
      for (size_t i = 0; i < conditional->bodies.size(); i++)
        if (!compare(*conditional->bodies[i], *other_one.bodies[i], all, info)) return false;
    }
    if (const auto* kernel = std::get_if<KernelCall>(&node->work);
        kernel && kernel->cooperative() != std::get<KernelCall>(next->work).cooperative())
      return refuse(info, cudaGraphExecUpdateErrorAttributesChanged, next);
    if (!may_become(node->work, next->work))
      return refuse(info, cudaGraphExecUpdateErrorParametersChanged, next);
    all.push_back({node, next});
  }
  return true;
}

bool same_bytes(const GraphNode& a, const GraphNode& b) {
  Writer first, second;
  first(a);
  second(b);
  return first.bytes() == second.bytes();
}

}  // namespace

bool may_become(const Work& present, const Work& next) {
  if (const auto* a = std::get_if<CopyCall>(&present)) {
    const CopyRequest &p = a->request, &n = std::get<CopyCall>(next).request;
    const bool memory = memory_kind(p.to) == memory_kind(n.to) && memory_kind(p.from) == memory_kind(n.from);
    const bool shape =
        (is_linear(p) && is_linear(n)) || (p.width == n.width && p.height == n.height && p.depth == n.depth);
    return memory && shape && n.width != 0;
  }
  if (const auto* a = std::get_if<FillCall>(&present)) {
    const cudaMemsetParams &p = a->parameters, &n = std::get<FillCall>(next).parameters;
    if (p.height != n.height || memory_kind(p.dst) != memory_kind(n.dst)) return false;
    return p.height == 1 || (p.width == n.width && p.elementSize == n.elementSize && p.pitch == n.pitch);
  }
  if (const auto* a = std::get_if<WordsCall>(&present)) {
    const auto& b = std::get<WordsCall>(next);
    return a->operations.size() == b.operations.size() && a->waits() == b.waits();
  }
  if (const auto* a = std::get_if<AllocateCall>(&present))
    return a->parameters.bytesize == std::get<AllocateCall>(next).parameters.bytesize;
  return true;
}

cudaError_t change_node(Runtime& r, GraphExec& exec, u32 place, GraphNode node) {
  GraphFacts facts;
  const Status status = r.connection().call(UpdateGraphNode{exec.id, place, std::move(node)}, facts);
  if (status == Status::kOk) exec.may_wait = facts.may_wait;
  return to_cuda(status);
}

cudaError_t change_exec(Runtime& r, GraphExec& exec, Node& node, Work work) {
  GraphNode lowered, present;
  std::optional<ProgramPart> by_program, ignored;
  if (const cudaError_t error = lower(r, work, lowered, by_program); error != cudaSuccess) return error;
  lowered.enabled = !exec.disabled.contains(&node);
  const u32 place = exec.places.at(&node);
  present.enabled = lowered.enabled;
  const bool comparable = lower(r, node.work, present, ignored) == cudaSuccess;
  if (!comparable || !same_bytes(present, lowered))
    if (const cudaError_t error = change_node(r, exec, place, std::move(lowered)); error != cudaSuccess)
      return error;
  // The nodes in the bodies are the executable graph's own, and change one by one.
  if (auto* conditional = std::get_if<ConditionalCall>(&node.work))
    exec.replaced.push_back(std::exchange(conditional->condition, std::get<ConditionalCall>(work).condition));
  else
    node.work = std::move(work);
  if (by_program) {
    auto program = std::make_shared<ProgramWork>(*exec.program);
    (*program)[place] = *by_program;
    exec.program = std::move(program);
  }
  return cudaSuccess;
}

cudaError_t update_exec(Runtime& r, GraphExec& exec, Graph& mine, const Graph& graph,
                        cudaGraphExecUpdateResultInfo& info) {
  std::vector<std::pair<Node*, Node*>> pairs;
  info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  if (!compare(mine, graph, pairs, info)) return cudaErrorGraphExecUpdateFailure;
  for (const auto& [node, next] : pairs) {
    if (std::holds_alternative<AllocateCall>(node->work) || std::holds_alternative<FreeCall>(node->work))
      continue;
    if (const cudaError_t error = change_exec(r, exec, *node, clone(next->work)); error != cudaSuccess) {
      info = {cudaGraphExecUpdateErrorParametersChanged, handle(next), nullptr};
      return cudaErrorGraphExecUpdateFailure;
    }
  }
  return cudaSuccess;
}

}  // namespace roofline::sim::runtime

using namespace roofline::sim::runtime;

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  return api([&](Runtime& r) {
    GraphExec* const found = aim_at(r, exec);
    const Graph* const next = LiveGraphs::instance().find(graph);
    cudaGraphExecUpdateResultInfo info{cudaGraphExecUpdateError, nullptr, nullptr};
    cudaError_t error = cudaErrorInvalidValue;
    if (found && next && result) error = update_exec(r, *found, *found->graph, *next, info);
    if (result) *result = info;
    return error;
  });
}
