// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A graph inside a graph. Launching one into a stream that is being captured does not make one: it spoils the
// capture.
#include "expect.h"

__global__ void add(int* p, int value) { *p += value; }

static cudaGraphNode_t add_node(cudaGraph_t graph, const cudaGraphNode_t* after, size_t n, int* p,
                                int value) {
  void* arguments[] = {&p, &value};
  cudaKernelNodeParams k = {};
  k.func = reinterpret_cast<void*>(add);
  k.gridDim = k.blockDim = dim3(1);
  k.kernelParams = arguments;
  cudaGraphNode_t node;
  OK(cudaGraphAddKernelNode(&node, graph, after, n, &k));
  return node;
}

static int value_after(cudaGraphExec_t exec, int* p) {
  int value = 0;
  OK(cudaMemset(p, 0, sizeof value));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

int main() {
  int* p = nullptr;
  OK(cudaMalloc(&p, sizeof(int)));
  cudaGraph_t child, parent, inner;
  OK(cudaGraphCreate(&child, 0));
  OK(cudaGraphCreate(&parent, 0));
  const cudaGraphNode_t one = add_node(child, nullptr, 0, p, 1);
  add_node(child, &one, 1, p, 2);
  const cudaGraphNode_t before = add_node(parent, nullptr, 0, p, 10);
  cudaGraphNode_t middle;
  OK(cudaGraphAddChildGraphNode(&middle, parent, &before, 1, child));
  add_node(parent, &middle, 1, p, 20);
  OK(cudaGraphDestroy(child));  // the node has a copy of it

  size_t n = 0;
  OK(cudaGraphGetNodes(parent, nullptr, &n));
  EXPECT(n == 3);
  OK(cudaGraphChildGraphNodeGetGraph(middle, &inner));
  OK(cudaGraphGetNodes(inner, nullptr, &n));
  EXPECT(n == 2);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphDestroy(inner));  // it belongs to the node

  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, parent, 0));
  EXPECT(value_after(exec, p) == 33);

  // A node of the inner graph can be changed in the executable.
  cudaGraphNode_t nodes[2];
  n = 2;
  OK(cudaGraphGetNodes(inner, nodes, &n));
  int value = 101;
  void* arguments[] = {&p, &value};
  cudaKernelNodeParams k = {};
  OK(cudaGraphKernelNodeGetParams(nodes[0], &k));
  k.kernelParams = arguments;
  OK(cudaGraphExecKernelNodeSetParams(exec, nodes[0], &k));
  EXPECT(value_after(exec, p) == 133);

  // So can all of them, by a graph of the same shape; by no other.
  cudaGraph_t other;
  OK(cudaGraphCreate(&other, 0));
  const cudaGraphNode_t first = add_node(other, nullptr, 0, p, 1000);
  EXPECT(cudaGraphExecChildGraphNodeSetParams(exec, middle, other) != cudaSuccess);
  add_node(other, &first, 1, p, 2000);
  OK(cudaGraphExecChildGraphNodeSetParams(exec, middle, other));
  EXPECT(value_after(exec, p) == 3030);

  // A launch cannot be captured.
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  EXPECT_RESULT(cudaErrorStreamCaptureUnsupported, cudaGraphLaunch(exec, stream));
  EXPECT_RESULT(cudaErrorStreamCaptureUnsupported, cudaGraphLaunch(exec, stream));
  cudaGraph_t captured;
  EXPECT_RESULT(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &captured));
  EXPECT(value_after(exec, p) == 3030);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaStreamDestroy(stream));
  OK(cudaGraphDestroy(other));
  OK(cudaGraphDestroy(parent));
  return 0;
}
