// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// One function adds a node of any type from one structure; capture into a graph that exists already.
#include "expect.h"

__global__ void add(int* p, int value) { atomicAdd(p, value); }

int main() {
  int *p = nullptr, value = 3, host = 100;
  OK(cudaMalloc(&p, sizeof(int)));
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t copy, kernel;

  cudaGraphNodeParams c = {cudaGraphNodeTypeMemcpy};
  c.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(&host, sizeof host, sizeof host, 1);
  c.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(p, sizeof host, sizeof host, 1);
  c.memcpy.copyParams.extent = make_cudaExtent(sizeof host, 1, 1);
  c.memcpy.copyParams.kind = cudaMemcpyHostToDevice;
  OK(cudaGraphAddNode(&copy, graph, nullptr, nullptr, 0, &c));

  void* arguments[] = {&p, &value};
  cudaGraphNodeParams k = {cudaGraphNodeTypeKernel};
  k.kernel.func = reinterpret_cast<void*>(add);
  k.kernel.gridDim = k.kernel.blockDim = dim3(1);
  k.kernel.kernelParams = arguments;
  OK(cudaGraphAddNode(&kernel, graph, &copy, nullptr, 1, &k));

  // What is captured comes after the kernel.
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCaptureToGraph(stream, graph, &kernel, nullptr, 1, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(p, 10);
  OK(cudaStreamUpdateCaptureDependencies(stream, &kernel, nullptr, 1, cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(p, 20);  // beside the last one
  cudaGraphNode_t all[8];
  size_t n = 8;
  OK(cudaGraphGetNodes(graph, all, &n));
  EXPECT(n == 4);
  OK(cudaStreamUpdateCaptureDependencies(stream, all + 2, nullptr, 1, cudaStreamAddCaptureDependencies));
  cudaGraph_t same;
  OK(cudaStreamEndCapture(stream, &same));
  EXPECT(same == graph);
  n = 8;
  OK(cudaGraphNodeGetDependentNodes(kernel, all, nullptr, &n));
  EXPECT(n == 2);

  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  int got = 0;
  OK(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got == 133);
  value = 5;
  OK(cudaGraphExecNodeSetParams(exec, kernel, &k));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
  EXPECT(got == 135);
  OK(cudaGraphNodeSetParams(kernel, &k));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphNodeSetParams(copy, &k));  // of another type
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  return 0;
}
