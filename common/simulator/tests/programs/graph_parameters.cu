// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// New arguments for a kernel node: in the graph for executables to come, in an executable for launches to
// come.
#include "expect.h"

__global__ void add(int* p, int n, int value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] += value;
}
__global__ void multiply(int* p, int n, int value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] *= value;
}

static int first_of(const int* p) {
  int value = 0;
  OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

int main() {
  int n = 1000, value = 5, *p = nullptr;
  OK(cudaMalloc(&p, n * sizeof(int)));
  OK(cudaMemset(p, 0, n * sizeof(int)));
  void* arguments[] = {&p, &n, &value};
  cudaKernelNodeParams k = {};
  k.func = reinterpret_cast<void*>(add);
  k.gridDim = dim3(4);
  k.blockDim = dim3(64);
  k.kernelParams = arguments;
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &k));
  value = 99;  // the node keeps what it was given
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(first_of(p) == 5);

  cudaKernelNodeParams told = {};
  OK(cudaGraphKernelNodeGetParams(node, &told));
  EXPECT(told.func == reinterpret_cast<void*>(add) && told.gridDim.x == 4 && told.blockDim.x == 64);
  EXPECT(*static_cast<int*>(told.kernelParams[2]) == 5 && *static_cast<int**>(told.kernelParams[0]) == p);

  value = 7;
  OK(cudaGraphExecKernelNodeSetParams(exec, node, &k));
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(first_of(p) == 12);
  OK(cudaGraphKernelNodeGetParams(node, &told));
  EXPECT(*static_cast<int*>(told.kernelParams[2]) == 5);  // the graph itself is as it was

  // Another kernel, another grid.
  value = 10;
  k.func = reinterpret_cast<void*>(multiply);
  k.gridDim = dim3(1);
  OK(cudaGraphExecKernelNodeSetParams(exec, node, &k));
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(first_of(p) == 120);

  // A disabled node is skipped.
  unsigned enabled = 9;
  OK(cudaGraphNodeSetEnabled(exec, node, 0));
  OK(cudaGraphNodeGetEnabled(exec, node, &enabled));
  EXPECT(enabled == 0);
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(first_of(p) == 120);
  OK(cudaGraphNodeSetEnabled(exec, node, 1));
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(first_of(p) == 1200);

  // Parameters of the graph's node reach the next executable.
  value = -1200;
  k.func = reinterpret_cast<void*>(add);
  OK(cudaGraphKernelNodeSetParams(node, &k));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  EXPECT(first_of(p) == 0);

  // Attributes.
  cudaLaunchAttributeValue attribute = {};
  attribute.priority = -1;
  OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &attribute));
  attribute.priority = 0;
  OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &attribute));
  EXPECT(attribute.priority == -1);

  // What cannot be launched is refused when the node is made.
  k.blockDim = dim3(5000);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(node, &k));
  k.blockDim = dim3(64);
  k.func = &value;
  EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaGraphKernelNodeSetParams(node, &k));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  return 0;
}
