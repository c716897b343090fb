// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A graph as text for Graphviz.
#include <fstream>
#include <sstream>
#include <string>

#include "simulator/runtime/copy.h"
#include "simulator/runtime/graph_memory.h"
#include "simulator/runtime/graph_nodes.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

const char* name_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return "HtoH";
    case cudaMemcpyHostToDevice:
      return "HtoD";
    case cudaMemcpyDeviceToHost:
      return "DtoH";
    case cudaMemcpyDeviceToDevice:
      return "DtoD";
    default:
      return "default direction";
  }
}

/// As in a launch; brackets and braces mean something in labels of Graphviz, and are escaped.
std::string text_of(dim3 d) {
  std::string text = std::to_string(d.x);
  if (d.y == 1 && d.z == 1) return text;
  text += "," + std::to_string(d.y);
  if (d.z != 1) text += "," + std::to_string(d.z);
  return R"(\{)" + text + R"(\})";
}

class Dot {
 public:
  Dot(Runtime& runtime, unsigned flags) : runtime_(runtime), flags_(flags) {}

  void write(std::ostream& out, const Graph& graph) {
    out << "digraph dot {\n";
    cluster(out, graph);
    out << "}\n";
  }

 private:
  bool wants(unsigned flag) const { return flags_ & (flag | cudaGraphDebugDotFlagsVerbose); }

  void cluster(std::ostream& out, const Graph& graph) {
    out << "subgraph cluster_" << graph.id << " {\nlabel=\"graph_" << graph.id
        << "\" graph[style=\"dashed\"];\n";
    for (const auto& node : graph.nodes) {
      out << name(*node) << "[style=\"bold\" shape=\"" << shape(node->work) << "\" label=\"" << node->id
          << "\\n"
          << label(*node) << "\"];\n";
      for (const Graph* inner : graphs_in(node->work)) cluster(out, *inner);
    }
    for (const auto& node : graph.nodes)
      for (const Edge& edge : node->dependencies) {
        out << name(*edge.from) << " -> " << name(*node);
        if (edge.data.type == cudaGraphDependencyTypeProgrammatic) out << "[style=\"dashed\"]";
        out << ";\n";
      }
    out << "}\n";
  }

  static std::string name(const Node& node) {
    return "\"graph_" + std::to_string(node.graph->id) + "_node_" + std::to_string(node.id) + "\"";
  }

  static const char* shape(const Work& work) {
    if (std::holds_alternative<KernelCall>(work)) return "octagon";
    if (std::holds_alternative<ConditionalCall>(work)) return "diamond";
    return std::holds_alternative<ChildCall>(work) ? "folder" : "record";
  }

  std::string label(const Node& node) const {
    std::ostringstream out;
    std::visit([&](const auto& call) { describe(out, call); }, node.work);
    if (wants(cudaGraphDebugDotFlagsHandles)) out << "\\nnode handle " << static_cast<const void*>(&node);
    return out.str();
  }

  void describe(std::ostream& out, const KernelCall& call) const {
    const Kernel* kernel = runtime_.modules.find_kernel(call.function);
    out << (kernel ? kernel->name : "unloaded kernel");
    if (wants(cudaGraphDebugDotFlagsKernelNodeParams))
      out << R"(\<\<\<)" << text_of(call.grid) << "," << text_of(call.block) << "," << call.shared_bytes
          << R"(\>\>\>\nparameters )" << call.parameters.size() << " bytes";
    if (wants(cudaGraphDebugDotFlagsKernelNodeAttributes))
      for (const KernelAttribute& each : call.attributes) {
        out << "\\nattribute " << each.id;
        if (each.id == cudaLaunchAttributePriority) out << " (priority " << each.value.priority << ")";
        if (each.id == cudaLaunchAttributeCooperative)
          out << " (cooperative " << each.value.cooperative << ")";
      }
    if (wants(cudaGraphDebugDotFlagsHandles)) out << "\\nfunction handle " << call.function;
  }
  void describe(std::ostream& out, const CopyCall& call) const {
    const CopyRequest& q = call.request;
    out << "MEMCPY\\n" << name_of(q.kind);
    if (wants(cudaGraphDebugDotFlagsMemcpyNodeParams))
      out << "\\nfrom " << q.from << " pitch " << q.from_pitch << "\\nto " << q.to << " pitch " << q.to_pitch
          << "\\nextent " << q.width << "," << q.height << "," << q.depth;
  }
  void describe(std::ostream& out, const FillCall& call) const {
    const cudaMemsetParams& p = call.parameters;
    out << "MEMSET";
    if (wants(cudaGraphDebugDotFlagsMemsetNodeParams))
      out << "\\nto " << p.dst << " pitch " << p.pitch << "\\nvalue " << p.value << " of " << p.elementSize
          << " bytes\\nextent " << p.width << "," << p.height;
  }
  void describe(std::ostream& out, const HostCall& call) const {
    out << "HOST";
    if (wants(cudaGraphDebugDotFlagsHostNodeParams))
      out << "\\nfunction " << reinterpret_cast<const void*>(call.function) << "\\ndata " << call.data;
  }
  void describe(std::ostream& out, const ChildCall& call) const { out << "GRAPH\\ngraph_" << call.graph->id; }
  void describe(std::ostream& out, const ConditionalCall& call) const {
    constexpr const char* kTypes[] = {"IF", "WHILE", "SWITCH"};
    out << "CONDITIONAL\\n" << kTypes[call.type];
    if (wants(cudaGraphDebugDotFlagsConditionalNodeParams)) out << "\\nhandle " << call.condition->number;
  }
  void describe(std::ostream& out, const EmptyCall&) const { out << "EMPTY"; }
  void describe(std::ostream& out, const WaitCall& call) const { event(out, "EVENT_WAIT", call.event); }
  void describe(std::ostream& out, const RecordCall& call) const { event(out, "EVENT_RECORD", call.event); }
  void describe(std::ostream& out, const AllocateCall& call) const {
    out << "MEM_ALLOC\\n" << call.memory->bytes << " bytes";
  }
  void describe(std::ostream& out, const FreeCall& call) const {
    out << "MEM_FREE\\n" << call.memory->bytes << " bytes";
  }
  void describe(std::ostream& out, const WordsCall& call) const {
    out << "MEM_OP\\n" << call.operations.size() << " operations";
  }
  void event(std::ostream& out, const char* what, cudaEvent_t handle) const {
    out << what;
    if (wants(cudaGraphDebugDotFlagsEventNodeParams)) out << "\\nevent " << static_cast<const void*>(handle);
  }

  Runtime& runtime_;
  unsigned flags_;
};

}  // namespace

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned flags) {
  return api([&](Runtime& r) {
    const Graph* const found = LiveGraphs::instance().find(graph);
    if (!found || !path) return cudaErrorInvalidValue;
    std::ofstream out(path);
    Dot(r, flags).write(out, *found);
    return out.flush() ? cudaSuccess : cudaErrorOperatingSystem;
  });
}
