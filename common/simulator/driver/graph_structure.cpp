// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Graphs: their nodes and edges. Handles are the runtime's.
#include "simulator/driver/graph_params.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

const cudaGraphEdgeData* same(const CUgraphEdgeData* data) {
  return reinterpret_cast<const cudaGraphEdgeData*>(data);
}
cudaGraphEdgeData* same(CUgraphEdgeData* data) { return reinterpret_cast<cudaGraphEdgeData*>(data); }

}  // namespace

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  return initialised([&] { return cudaGraphCreate(graph, flags); });
}
CUresult cuGraphDestroy(CUgraph graph) {
  return initialised([&] { return cudaGraphDestroy(graph); });
}
CUresult cuGraphClone(CUgraph* clone, CUgraph original) {
  return initialised([&] { return cudaGraphClone(clone, original); });
}
CUresult cuGraphNodeFindInClone(CUgraphNode* node, CUgraphNode original, CUgraph clone) {
  return initialised([&] { return cudaGraphNodeFindInClone(node, original, clone); });
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  return initialised([&] { return cudaGraphNodeGetType(node, reinterpret_cast<cudaGraphNodeType*>(type)); });
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, size_t* n) {
  return initialised([&] { return cudaGraphGetNodes(graph, nodes, n); });
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, size_t* n) {
  return initialised([&] { return cudaGraphGetRootNodes(graph, nodes, n); });
}
CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                            size_t* n) {
  return initialised([&] { return cudaGraphGetEdges(graph, from, to, same(data), n); });
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* n) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, n);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* data,
                                       size_t* n) {
  return initialised([&] { return cudaGraphNodeGetDependencies(node, nodes, same(data), n); });
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* nodes, size_t* n) {
  return cuGraphNodeGetDependencies_v2(node, nodes, nullptr, n);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* data,
                                         size_t* n) {
  return initialised([&] { return cudaGraphNodeGetDependentNodes(node, nodes, same(data), n); });
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* nodes, size_t* n) {
  return cuGraphNodeGetDependentNodes_v2(node, nodes, nullptr, n);
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* data, size_t n) {
  return initialised([&] { return cudaGraphAddDependencies(graph, from, to, same(data), n); });
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t n) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, n);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData* data, size_t n) {
  return initialised([&] { return cudaGraphRemoveDependencies(graph, from, to, same(data), n); });
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t n) {
  return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, n);
}
CUresult cuGraphDestroyNode(CUgraphNode node) {
  return initialised([&] { return cudaGraphDestroyNode(node); });
}
CUresult cuGraphDebugDotPrint(CUgraph graph, const char* path, unsigned flags) {
  return initialised([&] { return cudaGraphDebugDotPrint(graph, path, flags); });
}

CUresult cuUserObjectCreate(CUuserObject* object, void* p, CUhostFn destroy, unsigned count, unsigned flags) {
  return initialised([&] { return cudaUserObjectCreate(object, p, destroy, count, flags); });
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return initialised([&] { return cudaUserObjectRetain(object, count); });
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return initialised([&] { return cudaUserObjectRelease(object, count); });
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
  return initialised([&] { return cudaGraphRetainUserObject(graph, object, count, flags); });
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  return initialised([&] { return cudaGraphReleaseUserObject(graph, object, count); });
}
