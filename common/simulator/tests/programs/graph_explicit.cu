// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A graph built node by node; its edges are asked for, added, removed, and a cycle is refused.
#include <algorithm>

#include "expect.h"

__global__ void append(int* log, int* n, int value) { log[(*n)++] = value; }

static cudaGraphNode_t add_append(cudaGraph_t graph, const cudaGraphNode_t* after, size_t n, int* log,
                                  int* count, int value) {
  void* arguments[] = {&log, &count, &value};
  cudaKernelNodeParams p = {};
  p.func = reinterpret_cast<void*>(append);
  p.gridDim = p.blockDim = dim3(1);
  p.kernelParams = arguments;
  cudaGraphNode_t node;
  OK(cudaGraphAddKernelNode(&node, graph, after, n, &p));
  return node;
}

int main() {
  int *log = nullptr, *count = nullptr;
  OK(cudaMalloc(&log, 16 * sizeof(int)));
  OK(cudaMalloc(&count, sizeof(int)));
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));

  cudaGraphNode_t reset, barrier;
  cudaMemsetParams zero = {count, 0, 0, sizeof(int), 1, 1};
  OK(cudaGraphAddMemsetNode(&reset, graph, nullptr, 0, &zero));
  const cudaGraphNode_t third = add_append(graph, nullptr, 0, log, count, 3);
  const cudaGraphNode_t first = add_append(graph, &reset, 1, log, count, 1);
  const cudaGraphNode_t second = add_append(graph, &first, 1, log, count, 2);
  OK(cudaGraphAddEmptyNode(&barrier, graph, &second, 1));
  OK(cudaGraphAddDependencies(graph, &barrier, &third, nullptr, 1));

  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(barrier, &type));
  EXPECT(type == cudaGraphNodeTypeEmpty);
  cudaGraphNode_t list[8];
  size_t n = 8;
  OK(cudaGraphGetRootNodes(graph, list, &n));
  EXPECT(n == 1 && list[0] == reset && list[1] == nullptr);
  n = 8;
  OK(cudaGraphNodeGetDependencies(third, list, nullptr, &n));
  EXPECT(n == 1 && list[0] == barrier);
  OK(cudaGraphNodeGetDependentNodes(first, nullptr, nullptr, &n));
  EXPECT(n == 1);
  cudaGraphNode_t from[8], to[8];
  n = 8;
  OK(cudaGraphGetEdges(graph, from, to, nullptr, &n));
  EXPECT(n == 4);

  // The same edge twice, an edge that is not there, a node of nowhere, a cycle.
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &barrier, &third, nullptr, 1));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphRemoveDependencies(graph, &first, &third, nullptr, 1));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&barrier, nullptr, nullptr, 0));
  cudaGraphExec_t exec;
  OK(cudaGraphAddDependencies(graph, &third, &first, nullptr, 1));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphInstantiateParams report = {};
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &report));
  EXPECT(report.result_out == cudaGraphInstantiateInvalidStructure && report.errNode_out != nullptr);
  OK(cudaGraphRemoveDependencies(graph, &third, &first, nullptr, 1));

  report = {};
  OK(cudaGraphInstantiateWithParams(&exec, graph, &report));
  EXPECT(report.result_out == cudaGraphInstantiateSuccess);
  for (int round = 0; round < 3; round++) OK(cudaGraphLaunch(exec, nullptr));
  int got[3] = {}, length = 0;
  OK(cudaMemcpy(got, log, sizeof got, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&length, count, sizeof length, cudaMemcpyDeviceToHost));
  EXPECT(length == 3);
  EXPECT(got[0] == 1 && got[1] == 2 && got[2] == 3);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  return 0;
}
