// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Copies of graphs: nodes are found again in a clone, and changes to one do not reach the other.
#include "expect.h"

__global__ void add(int* p, int value) { *p += value; }

static int run(cudaGraph_t graph, int* p) {
  cudaGraphExec_t exec;
  int value = 0;
  OK(cudaMemset(p, 0, sizeof value));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaGraphExecDestroy(exec));  // a launch that is under way ends all the same
  OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

int main() {
  int *p = nullptr, value = 1;
  OK(cudaMalloc(&p, sizeof(int)));
  void* arguments[] = {&p, &value};
  cudaKernelNodeParams k = {};
  k.func = reinterpret_cast<void*>(add);
  k.gridDim = k.blockDim = dim3(1);
  k.kernelParams = arguments;
  cudaGraph_t graph, clone;
  cudaGraphNode_t first, second, copy;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &k));
  value = 2;
  OK(cudaGraphAddKernelNode(&second, graph, &first, 1, &k));
  OK(cudaGraphClone(&clone, graph));
  OK(cudaGraphNodeFindInClone(&copy, second, clone));
  EXPECT(copy != second);

  value = 40;
  OK(cudaGraphKernelNodeSetParams(copy, &k));
  EXPECT(run(graph, p) == 3);
  EXPECT(run(clone, p) == 41);

  // A destroyed node takes its edges along.
  OK(cudaGraphDestroyNode(first));
  size_t n = 9;
  OK(cudaGraphNodeGetDependencies(second, nullptr, nullptr, &n));
  EXPECT(n == 0);
  EXPECT(run(graph, p) == 2);
  EXPECT(run(clone, p) == 41);
  OK(cudaGraphDestroyNode(copy));
  EXPECT(run(clone, p) == 1);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&copy, second, clone));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&copy, second, graph));  // no clone of itself

  // A graph without nodes can be launched too.
  cudaGraph_t empty;
  OK(cudaGraphCreate(&empty, 0));
  EXPECT(run(empty, p) == 0);
  OK(cudaGraphDestroy(empty));
  OK(cudaGraphDestroy(clone));
  OK(cudaGraphDestroy(graph));
  return 0;
}
