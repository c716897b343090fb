// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Instantiation: a graph becomes a list of nodes for the machine.
#include "simulator/runtime/graph_exec.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "simulator/runtime/address.h"
#include "simulator/runtime/capture.h"
#include "simulator/runtime/copy.h"
#include "simulator/runtime/graph_memory.h"
#include "simulator/runtime/launch.h"
#include "simulator/runtime/say.h"
#include "simulator/runtime/user_object.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

std::unordered_map<const void*, std::shared_ptr<GraphExec>>& executables() {
  static auto* const all = new std::unordered_map<const void*, std::shared_ptr<GraphExec>>;
  return *all;
}

cudaError_t lower_kernel(Runtime& r, const KernelCall& call, GraphNode& node) {
  Kernel* kernel = r.modules.find_kernel(call.function);
  if (!kernel) return cudaErrorInvalidDeviceFunction;
  if (const cudaError_t error = r.modules.resolve(*kernel, r.connection()); error != cudaSuccess)
    return error;
  node.kind = GraphNode::Kind::kKernel;
  node.kernel = {kernel->facts.id,  0,
                 extent(call.grid), extent(call.block),
                 call.shared_bytes, call.cooperative(),
                 call.parameters,   extent(call.cluster()),
                 call.priority()};
  return cudaSuccess;
}

/// How the machine sees a copy by where its ends lie.
GraphNode::Kind kind_of(const CopyRequest& q) {
  const bool to = machine_reaches(q.to), from = machine_reaches(q.from);
  return to ? (from ? GraphNode::Kind::kCopy : GraphNode::Kind::kCopyIn)
            : (from ? GraphNode::Kind::kCopyOut : GraphNode::Kind::kHost);
}

void lower_copy(const Runtime& r, const CopyRequest& asked, GraphNode& node) {
  const CopyRequest q = in_window(r, asked);
  node.kind = kind_of(q);
  node.copy = {{address_of(q.to), q.to_pitch, q.width, q.height},
               address_of(q.from),
               q.from_pitch,
               q.depth,
               q.to_slice,
               q.from_slice};
}

void lower_fill(const cudaMemsetParams& p, GraphNode& node) {
  node.kind = GraphNode::Kind::kFill;
  const u64 mask = p.elementSize == 4 ? ~0u : (1u << 8 * p.elementSize) - 1;
  node.fill = {{address_of(p.dst), p.pitch, p.width * p.elementSize, p.height},
               static_cast<u32>(p.value & mask),
               p.elementSize,
               0,
               true};
}

/// Builds the machine's list of a graph.
class Flattening {
 public:
  Flattening(Runtime& runtime, GraphExec& exec) : runtime_(runtime), exec_(exec) {}

  /// Appends a graph whose first nodes come after the nodes at `before`; `after` gets the places of its last.
  /// `culprit` is the node that an error is about.
  cudaError_t add(const Graph& graph, const std::vector<u32>& before, std::vector<u32>& after, Node*& culprit,
                  u32 body = 0) {
    const std::vector<Node*> order = graph.ordered();
    if (order.size() < graph.nodes.size()) {
      culprit = in_cycle(graph, order);
      return cudaErrorInvalidValue;
    }
    std::unordered_map<const Node*, std::vector<u32>> ends;
    for (Node* node : order) {
      std::vector<u32> dependencies = node->dependencies.empty() ? before : std::vector<u32>{};
      for (const Edge& edge : node->dependencies)
        dependencies.insert(dependencies.end(), ends[edge.from].begin(), ends[edge.from].end());
      culprit = node;
      if (const cudaError_t error = add(*node, std::move(dependencies), ends[node], culprit, body);
          error != cudaSuccess)
        return error;
      if (node->dependents.empty()) after.insert(after.end(), ends[node].begin(), ends[node].end());
    }
    return cudaSuccess;
  }

  GraphDefinition definition;
  ProgramWork program;

 private:
  cudaError_t add(const Node& node, std::vector<u32> dependencies, std::vector<u32>& ends, Node*& culprit,
                  u32 body) {
    const auto* child = std::get_if<ChildCall>(&node.work);
    if (child && !child->graph->nodes.empty()) return add(*child->graph, dependencies, ends, culprit, body);
    const u32 place = static_cast<u32>(definition.nodes.size());
    GraphNode lowered;
    std::optional<ProgramPart> by_program;
    if (!child)
      if (const cudaError_t error = lower(runtime_, node.work, lowered, by_program); error != cudaSuccess)
        return error;
    if (body != 0 && (by_program || !may_be_in_body(node.work))) {
      say("the body of a conditional graph node can hold kernels, copies and fills of device or pinned "
          "memory, empty nodes, child graphs and conditional nodes");
      return cudaErrorNotSupported;
    }
    lowered.dependencies = std::move(dependencies);
    lowered.body = body;
    if (const auto* conditional = std::get_if<ConditionalCall>(&node.work))
      for (size_t i = 0; i < conditional->bodies.size(); i++) lowered.condition.bodies.push_back(++bodies_);
    const std::vector<u32> inner = lowered.condition.bodies;
    definition.nodes.push_back(std::move(lowered));
    if (by_program) program[place] = *by_program;
    if (!child) exec_.places[&node] = place;
    if (std::holds_alternative<RecordCall>(node.work)) exec_.recorders.push_back(&node);
    ends = {place};
    for (size_t i = 0; i < inner.size(); i++) {
      std::vector<u32> ignored;
      const Graph& graph = *std::get<ConditionalCall>(node.work).bodies[i];
      if (const cudaError_t error = add(graph, {}, ignored, culprit, inner[i]); error != cudaSuccess)
        return error;
    }
    return cudaSuccess;
  }

  static bool may_be_in_body(const Work& work) {
    return std::holds_alternative<KernelCall>(work) || std::holds_alternative<CopyCall>(work) ||
           std::holds_alternative<FillCall>(work) || std::holds_alternative<EmptyCall>(work) ||
           std::holds_alternative<ChildCall>(work) || std::holds_alternative<ConditionalCall>(work);
  }

  static Node* in_cycle(const Graph& graph, const std::vector<Node*>& order) {
    for (const auto& node : graph.nodes)
      if (std::find(order.begin(), order.end(), node.get()) == order.end()) return node.get();
    return nullptr;
  }

  Runtime& runtime_;
  GraphExec& exec_;
  u32 bodies_ = 0;  ///< of conditional nodes so far
};

/// Ids of the nodes of a graph and the graphs in it, in the same order as its clone's.
void collect(const Graph& original, const Graph& clone, std::unordered_map<u64, Node*>& nodes) {
  for (size_t i = 0; i < original.nodes.size(); i++) {
    nodes[original.nodes[i]->id] = clone.nodes[i].get();
    const std::vector<Graph*> inner = graphs_in(original.nodes[i]->work);
    const std::vector<Graph*> cloned = graphs_in(clone.nodes[i]->work);
    for (size_t k = 0; k < inner.size(); k++) collect(*inner[k], *cloned[k], nodes);
  }
}

/// The node of the program's graph that stands behind a node of the clone.
cudaGraphNode_t original_of(const Graph& original, const Graph& clone, const Node* node) {
  for (size_t i = 0; i < original.nodes.size(); i++) {
    if (clone.nodes[i].get() == node) return handle(original.nodes[i].get());
    const std::vector<Graph*> inner = graphs_in(original.nodes[i]->work);
    const std::vector<Graph*> cloned = graphs_in(clone.nodes[i]->work);
    for (size_t k = 0; k < inner.size(); k++)
      if (const auto found = original_of(*inner[k], *cloned[k], node)) return found;
  }
  return nullptr;
}

/// Whether a conditional node looks at it.
bool uses(const Graph& graph, const Condition& condition) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
    const auto* conditional = std::get_if<ConditionalCall>(&node->work);
    if (conditional && conditional->condition.get() == &condition) return true;
    const std::vector<Graph*> inner = graphs_in(node->work);
    return std::any_of(inner.begin(), inner.end(), [&](const Graph* each) { return uses(*each, condition); });
  });
}

/// Sends a definition through the staging memory.
cudaError_t define(Runtime& r, u32 id, const GraphDefinition& definition, bool& may_wait) {
  Writer out;
  out(definition);
  if (out.bytes().size() > r.connection().staging_bytes()) return cudaErrorMemoryAllocation;
  std::memcpy(r.connection().staging(), out.bytes().data(), out.bytes().size());
  GraphFacts facts;
  const Status status = r.connection().call(DefineGraph{id, out.bytes().size()}, facts);
  may_wait = facts.may_wait;
  return to_cuda(status);
}

/// The device of all nodes that run on one; false when there are several.
bool device_of(const Graph& graph, int& device, bool& found) {
  for (const auto& node : graph.nodes) {
    for (const Graph* inner : graphs_in(node->work))
      if (!device_of(*inner, device, found)) return false;
    if (std::holds_alternative<KernelCall>(node->work) || std::holds_alternative<FillCall>(node->work)) {
      if (found && node->device != device) return false;
      device = node->device;
      found = true;
    }
  }
  return true;
}

cudaError_t instantiate(Runtime& r, cudaGraphExec_t* handle_out, const Graph* graph, unsigned long long flags,
                        cudaGraphInstantiateParams& report) {
  report.result_out = cudaGraphInstantiateError;
  report.errNode_out = nullptr;
  constexpr unsigned long long known = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                       cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagDeviceLaunch |
                                       cudaGraphInstantiateFlagUseNodePriority;
  if (!handle_out || !graph || (flags & ~known)) return cudaErrorInvalidValue;
  if (flags & cudaGraphInstantiateFlagDeviceLaunch)
    return flags & cudaGraphInstantiateFlagAutoFreeOnLaunch ? cudaErrorInvalidValue : cudaErrorNotSupported;
  if (graph->has_memory() && graph->executables) return cudaErrorNotSupported;
  if (const auto& handles = graph->conditions;
      !std::all_of(handles.begin(), handles.end(), [&](const auto& each) { return uses(*graph, *each); })) {
    report.result_out = cudaGraphInstantiateConditionalHandleUnused;
    return cudaErrorInvalidValue;
  }
  static u32 last_id = 0;
  auto exec = std::make_shared<GraphExec>();
  exec->device = r.target();
  if (bool found = false; !device_of(*graph, exec->device, found)) {
    static std::atomic<bool> said = false;
    if (!said.exchange(true)) say("a graph whose nodes run on several devices is not supported yet");
    return cudaErrorNotSupported;
  }
  r.aim(exec->device);
  exec->flags = flags & ~static_cast<unsigned long long>(cudaGraphInstantiateFlagUpload);
  exec->graph = graph->clone();
  exec->original = graph->id;
  collect(*graph, *exec->graph, exec->by_original);
  Flattening flat(r, *exec);
  std::vector<u32> ends;
  Node* culprit = nullptr;
  if (const cudaError_t error = flat.add(*exec->graph, {}, ends, culprit); error != cudaSuccess) {
    report.errNode_out = original_of(*graph, *exec->graph, culprit);
    if (error == cudaErrorInvalidValue) report.result_out = cudaGraphInstantiateInvalidStructure;
    return error;
  }
  flat.definition.own_priorities = (flags & cudaGraphInstantiateFlagUseNodePriority) != 0;
  if (const cudaError_t error = define(r, ++last_id, flat.definition, exec->may_wait); error != cudaSuccess)
    return error;
  exec->id = last_id;
  exec->program = std::make_shared<const ProgramWork>(std::move(flat.program));
  const_cast<Graph*>(graph)->executables++;
  report.result_out = cudaGraphInstantiateSuccess;
  *handle_out = reinterpret_cast<cudaGraphExec_t>(exec.get());
  executables()[exec.get()] = std::move(exec);
  return cudaSuccess;
}

cudaError_t upload(Runtime& r, const std::shared_ptr<GraphExec>& exec, cudaStream_t stream) {
  if (!exec) return cudaErrorInvalidValue;
  const StreamUse use = use_stream(r, stream);
  if (use.error != cudaSuccess) return use.error;
  if (use.capture) return refuse_capture(use);
  if (r.target() != exec->device) return cudaErrorInvalidResourceHandle;
  r.connection().post(UploadGraph{exec->id, use.id});
  return cudaSuccess;
}

}  // namespace

GraphExec::~GraphExec() {
  unmap_memory(mapped);
  Runtime& runtime = Runtime::instance();
  if (!id || !runtime.connected() || runtime.forked) return;
  try {
    runtime.aim(device);
    runtime.connection().post(DestroyGraph{id});
  } catch (const ConnectionLost& lost) {
    (void)connection_error(lost);  // the machine is gone, and with it the graph
  }
}

GraphExec* aim_at(Runtime& runtime, cudaGraphExec_t exec) {
  GraphExec* const found = find_exec(exec);
  if (found) runtime.aim(found->device);
  return found;
}

std::shared_ptr<GraphExec> share_exec(cudaGraphExec_t exec) {
  const auto found = executables().find(exec);
  return found == executables().end() ? nullptr : found->second;
}

GraphExec* find_exec(cudaGraphExec_t exec) { return share_exec(exec).get(); }

Node* find_in_exec(const GraphExec& exec, cudaGraphNode_t original) {
  const Node* const node = LiveGraphs::instance().find(original);
  const auto found = node ? exec.by_original.find(node->id) : exec.by_original.end();
  return found == exec.by_original.end() ? nullptr : found->second;
}

cudaError_t lower(Runtime& r, const Work& work, GraphNode& node, std::optional<ProgramPart>& by_program) {
  return std::visit(
      [&]<class T>(const T& call) {
        if constexpr (std::is_same_v<T, KernelCall>) {
          return lower_kernel(r, call, node);
        } else if constexpr (std::is_same_v<T, CopyCall>) {
          lower_copy(r, call.request, node);
          if (node.kind != GraphNode::Kind::kCopy) by_program = call.request;
        } else if constexpr (std::is_same_v<T, FillCall>) {
          lower_fill(call.parameters, node);
        } else if constexpr (std::is_same_v<T, HostCall>) {
          node.kind = GraphNode::Kind::kHost;
          by_program = call;
        } else if constexpr (std::is_same_v<T, RecordCall> || std::is_same_v<T, WaitCall>) {
          node.kind =
              std::is_same_v<T, RecordCall> ? GraphNode::Kind::kRecordEvent : GraphNode::Kind::kWaitEvent;
          node.event = call.id;
        } else if constexpr (std::is_same_v<T, WordsCall>) {
          node.kind = GraphNode::Kind::kWords;
          node.words = call.operations;
          if (call.waits()) by_program = call;
        } else if constexpr (std::is_same_v<T, ConditionalCall>) {
          node.kind = GraphNode::Kind::kCondition;
          node.condition = {static_cast<GraphCondition::Kind>(call.type),
                            call.condition->number,
                            call.condition->assigned,
                            call.condition->value,
                            {}};
        }
        return cudaSuccess;
      },
      work);
}

}  // namespace roofline::sim::runtime

using namespace roofline::sim;
using namespace roofline::sim::runtime;

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return api([&](Runtime& r) {
    cudaGraphInstantiateParams report{};
    // An upload has a stream, which only cudaGraphInstantiateWithParams takes.
    if (flags & cudaGraphInstantiateFlagUpload) return cudaErrorInvalidValue;
    return instantiate(r, exec, LiveGraphs::instance().find(graph), flags, report);
  });
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* p) {
  return api([&](Runtime& r) {
    if (!p) return cudaErrorInvalidValue;
    const cudaError_t error = instantiate(r, exec, LiveGraphs::instance().find(graph), p->flags, *p);
    if (error != cudaSuccess || !(p->flags & cudaGraphInstantiateFlagUpload)) return error;
    return upload(r, share_exec(*exec), p->uploadStream);
  });
}
ROOFLINE_EXPORT cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                                cudaGraphInstantiateParams* p) {
  if (p) p->uploadStream = per_thread(p->uploadStream);
  return cudaGraphInstantiateWithParams(exec, graph, p);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return api([&](Runtime&) {
    const GraphExec* const found = find_exec(exec);
    if (!found || !flags) return cudaErrorInvalidValue;
    *flags = found->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return api_with_objects([&](Runtime& r) { return upload(r, share_exec(exec), stream); });
}
ROOFLINE_EXPORT cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t exec, cudaStream_t stream) {
  return cudaGraphUpload(exec, per_thread(stream));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return api_with_objects([&](Runtime&) {
    const auto owned = executables().extract(exec);
    if (!owned) return cudaErrorInvalidValue;
    for (const void* each : LiveGraphs::instance().graphs) {
      // The sets hold addresses of Graph and Node objects only.
      auto* const live = static_cast<Graph*>(const_cast<void*>(each));
      if (live->id == owned.mapped()->original && live->executables) live->executables--;
    }
    return cudaSuccess;
  });
}
