// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "simulator/program/word_operation.h"
#include "simulator/runtime/copy_request.h"
#include "simulator/types.h"

/// CUDA graphs as the program builds them: nodes and edges, nothing of the machine. Instantiation
/// (graph_exec.h) turns one into what the machine executes.
namespace roofline::sim::runtime {

struct Graph;
struct GraphMemory;
struct Node;
struct UserObject;

// What a node does.

struct KernelAttribute {
  cudaLaunchAttributeID id{};
  cudaLaunchAttributeValue value{};
};
struct KernelCall {
  const void* function = nullptr;  ///< host stub or handle: looked up again when needed, it may be unloaded
  dim3 grid, block;
  size_t shared_bytes = 0;
  std::vector<std::byte> parameters;         ///< packed as the kernel's parameter list says
  std::vector<u32> offsets;                  ///< of the parameters in it
  std::vector<KernelAttribute> attributes;   ///< cooperative, priority, ...
  mutable std::vector<void*> pointers = {};  ///< into `parameters`, for who asks for the parameters
  bool cooperative() const;
  dim3 cluster() const;  ///< 0: as the kernel was compiled
  int priority() const;  ///< lower is more urgent
};
struct CopyCall {
  CopyRequest request;  ///< the stream in it means nothing
  cudaMemcpy3DParms given{};
};
struct FillCall {
  cudaMemsetParams parameters{};
};
struct HostCall {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};
struct ChildCall {
  std::unique_ptr<Graph> graph;
};
/// The value behind a cudaGraphConditionalHandle; graphs and nodes share it.
struct Condition {
  Condition(u64 number_, int device_) : number(number_), device(device_) {}
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  const u64 number;  ///< the handle
  const int device;
  bool assigned = false;  ///< each launch gives it `value`
  u32 value = 0;
};
struct ConditionalCall {
  std::shared_ptr<Condition> condition;
  cudaGraphConditionalNodeType type = cudaGraphCondTypeIf;
  std::vector<std::unique_ptr<Graph>> bodies;
  std::vector<cudaGraph_t> handles;  ///< of the bodies, for the program
};
struct EmptyCall {};
struct WaitCall {
  cudaEvent_t event = nullptr;
  u32 id = 0;
};
struct RecordCall {
  cudaEvent_t event = nullptr;
  u32 id = 0;
};
struct AllocateCall {
  cudaMemAllocNodeParams parameters{};
  std::shared_ptr<GraphMemory> memory;
};
struct FreeCall {
  std::shared_ptr<GraphMemory> memory;
};

/// Operations on words of memory. Only the driver API has such nodes.
struct WordsCall {
  std::vector<WordOperation> operations;
  std::vector<std::array<u64, 6>> given;  ///< the program's CUstreamBatchMemOpParams, for who asks for them
  bool waits() const;
};

/// In the order of cudaGraphNodeType, which has two kinds of semaphore nodes (not supported) in between.
using Work = std::variant<KernelCall, CopyCall, FillCall, HostCall, ChildCall, EmptyCall, WaitCall,
                          RecordCall, AllocateCall, FreeCall, ConditionalCall, WordsCall>;
cudaGraphNodeType type_of(const Work& work);
/// A copy of the work; child graphs and bodies are cloned with all their nodes.
Work clone(const Work& work);
/// The child graph or the bodies of a node; of most nodes none.
std::vector<Graph*> graphs_in(const Work& work);

struct Edge {
  Node* from = nullptr;
  cudaGraphEdgeData data{};
};
inline bool operator==(const cudaGraphEdgeData& a, const cudaGraphEdgeData& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// What a cudaGraphNode_t points to.
struct Node {
  Graph* graph = nullptr;
  u64 id = 0;  ///< unique in the process
  int device = 0;
  Work work;
  std::vector<Edge> dependencies;
  std::vector<Node*> dependents;
};

/// What a cudaGraph_t points to. Owns its nodes; handles are validated against the sets of live ones.
struct Graph {
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Node& add(Work work, std::vector<Edge> dependencies);
  void remove(Node& node);
  std::unique_ptr<Graph> clone() const;
  /// Nodes in an order in which every node follows its dependencies, earlier nodes first; shorter than
  /// `nodes` when there is a cycle.
  std::vector<Node*> ordered() const;
  /// Memory nodes, here or in a child graph: such a graph is neither cloned nor changed.
  bool has_memory() const;

  u64 id = 0;
  std::vector<std::unique_ptr<Node>> nodes;  ///< in the order in which they were added
  Node* parent = nullptr;                    ///< the child graph or conditional node that owns this graph
  bool capturing = false;                    ///< a stream's capture adds nodes
  u64 cloned_from = 0;                       ///< id of the original, 0: none
  /// Of a clone: the original nodes' ids to the clones.
  std::unordered_map<u64, Node*> by_original;
  /// References that the graph holds.
  std::map<UserObject*, unsigned> objects;
  unsigned executables = 0;                            ///< made from this graph and alive
  std::vector<std::shared_ptr<Condition>> conditions;  ///< whose handles were made for this graph
};

/// The live graphs and nodes. Callers hold the runtime's lock.
class LiveGraphs {
 public:
  static LiveGraphs& instance();
  Graph* find(cudaGraph_t graph) const;
  Node* find(cudaGraphNode_t node) const;

  std::unordered_set<const void*> graphs, nodes;
  /// Graphs that the program created and must destroy.
  std::unordered_map<const Graph*, std::unique_ptr<Graph>> owned;
  /// User objects whose last reference is gone; their destructors run when the lock is free.
  std::vector<UserObject*> dead;
};

inline cudaGraph_t handle(Graph* graph) { return reinterpret_cast<cudaGraph_t>(graph); }
inline cudaGraphNode_t handle(Node* node) { return reinterpret_cast<cudaGraphNode_t>(node); }

}  // namespace roofline::sim::runtime
