// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/runtime/graph.h"
#include "simulator/runtime/runtime.h"

namespace roofline::sim::runtime {

/// What the program does itself at a node: calls a function, moves bytes of its own memory, holds the launch
/// back while the machine's stream waits for a word.
using ProgramPart = std::variant<HostCall, CopyRequest, WordsCall>;
/// What the program does itself when a launch comes to these nodes, by place in the machine's list.
using ProgramWork = std::map<u32, ProgramPart>;

/// What a cudaGraphExec_t points to: a copy of a graph that the machine has too. There child graphs are
/// dissolved into one list of nodes.
struct GraphExec {
  ~GraphExec();

  u32 id = 0;  ///< the machine's number
  int device = 0;
  unsigned long long flags = 0;
  std::unique_ptr<Graph> graph;
  u64 original = 0;                                  ///< id of the graph it was made from
  std::vector<std::shared_ptr<GraphMemory>> mapped;  ///< of its graph, from the first launch on
  /// Ids of the original's nodes, those in child graphs included, to the nodes here.
  std::unordered_map<u64, Node*> by_original;
  std::unordered_map<const Node*, u32> places;  ///< child graph nodes have none
  std::unordered_set<const Node*> disabled;
  std::vector<const Node*> recorders;  ///< nodes that record events
  bool may_wait = false;               ///< its kernels, in memory for what comes after them
  /// Conditions of its nodes before they changed, which launches that are not over may need.
  std::vector<std::shared_ptr<Condition>> replaced;
  u64 queued = 0;  ///< its last launch's number among the host functions, 0 where it is over
  /// Replaced, never changed: a launch that waits for a host function keeps its own.
  std::shared_ptr<const ProgramWork> program;
};

/// Null when the handle is none. Callers hold the lock.
GraphExec* find_exec(cudaGraphExec_t exec);
/// The same for a launch, which keeps it.
std::shared_ptr<GraphExec> share_exec(cudaGraphExec_t exec);
/// The same, and aims this call's commands at its device.
GraphExec* aim_at(Runtime& runtime, cudaGraphExec_t exec);
/// The node of an executable graph that stands for a node of the graph it was made from.
Node* find_in_exec(const GraphExec& exec, cudaGraphNode_t original);

/// Says what a node is to the machine; `by_program` is set when the program has to take part. Dependencies
/// and child graphs are not its business.
cudaError_t lower(Runtime& runtime, const Work& work, channel::GraphNode& node,
                  std::optional<ProgramPart>& by_program);

/// The same for the machine alone: the node at a place of its list.
cudaError_t change_node(Runtime& runtime, GraphExec& exec, u32 place, channel::GraphNode node);
/// New work for a node of the same kind, here and in the machine; on an error nothing has changed.
cudaError_t change_exec(Runtime& runtime, GraphExec& exec, Node& node, Work work);
/// Whether an executable graph's node may become this: the kinds of memory and the shape are fixed.
bool may_become(const Work& present, const Work& next);

/// Makes an executable graph work like `graph`; `info` says what stands against it.
cudaError_t update_exec(Runtime& runtime, GraphExec& exec, Graph& mine, const Graph& graph,
                        cudaGraphExecUpdateResultInfo& info);

}  // namespace roofline::sim::runtime
