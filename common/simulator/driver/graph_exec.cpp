// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Executable graphs.
#include "simulator/driver/frame.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

static_assert(sizeof(CUgraphExecUpdateResultInfo) == sizeof(cudaGraphExecUpdateResultInfo));
static_assert(sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS) == sizeof(cudaGraphInstantiateParams));

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  return in_context([&] { return cudaGraphInstantiateWithFlags(exec, graph, flags); });
}
CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* log, size_t room) {
  if (node) *node = nullptr;
  if (log && room) *log = '\0';
  return cuGraphInstantiateWithFlags(exec, graph, 0);
}
CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* log, size_t room) {
  return cuGraphInstantiate_v2(exec, graph, node, log, room);
}
CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* p) {
  return in_context([&] {
    return cudaGraphInstantiateWithParams(exec, graph, reinterpret_cast<cudaGraphInstantiateParams*>(p));
  });
}
CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
  return in_context([&] {
    unsigned long long answer = 0;
    if (!flags) return cudaErrorInvalidValue;
    const cudaError_t error = cudaGraphExecGetFlags(exec, &answer);
    *flags = answer;
    return error;
  });
}
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  return in_context([&] { return cudaGraphUpload(exec, given(stream)); });
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  return in_context([&] { return cudaGraphLaunch(exec, given(stream)); });
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return in_context([&] { return cudaGraphExecDestroy(exec); });
}
CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
  return in_context([&] {
    return cudaGraphExecUpdate(exec, graph, reinterpret_cast<cudaGraphExecUpdateResultInfo*>(info));
  });
}
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* node,
                           CUgraphExecUpdateResult* answer) {
  CUgraphExecUpdateResultInfo info{};
  const CUresult result = cuGraphExecUpdate_v2(exec, graph, &info);
  if (node) *node = info.errorNode;
  if (answer) *answer = info.result;
  return result;
}
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  return in_context([&] { return cudaGraphNodeSetEnabled(exec, node, enabled); });
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned* enabled) {
  return in_context([&] { return cudaGraphNodeGetEnabled(exec, node, enabled); });
}
