// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Event nodes: a graph that records events for timing, waits for one from outside, and external events in a
// capture.
#include "expect.h"

__global__ void fill(float* p, int n, float a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] = a;
}

int main() {
  const int n = 1 << 20;
  float* p = nullptr;
  OK(cudaMalloc(&p, n * sizeof(float)));
  cudaStream_t stream, other;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamCreate(&other));
  cudaEvent_t start, stop, ready;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  OK(cudaEventCreate(&ready));

  // By capture: without the flag an event only orders the captured streams, with it it becomes a node.
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaStreamWaitEvent(stream, ready, cudaEventWaitExternal));
  OK(cudaEventRecordWithFlags(start, stream, cudaEventRecordExternal));
  fill<<<256, 256, 0, stream>>>(p, n, 1.0f);
  OK(cudaEventRecordWithFlags(stop, stream, cudaEventRecordExternal));
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t nodes[4];
  size_t count = 4;
  OK(cudaGraphGetNodes(graph, nodes, &count));
  EXPECT(count == 4);
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(nodes[0], &type));
  EXPECT(type == cudaGraphNodeTypeWaitEvent);
  cudaEvent_t told;
  OK(cudaGraphEventRecordNodeGetEvent(nodes[3], &told));
  EXPECT(told == stop);

  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  float once = 0, again = 0;
  OK(cudaEventRecord(ready, other));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaEventSynchronize(stop));
  OK(cudaEventElapsedTime(&once, start, stop));
  EXPECT(once > 0.0005f && once < 10.0f);

  // The graph waits for what the other stream does before `ready`.
  cudaEvent_t before;
  OK(cudaEventCreate(&before));
  OK(cudaEventRecord(before, other));
  for (int i = 0; i < 20; i++) fill<<<256, 256, 0, other>>>(p, n, 2.0f);
  OK(cudaEventRecord(ready, other));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaDeviceSynchronize());
  OK(cudaEventElapsedTime(&again, before, start));
  EXPECT(again > 5 * once);
  float value = 0;
  OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 1.0f);

  // Another event for the executable; the old one keeps its time.
  cudaEvent_t late;
  OK(cudaEventCreate(&late));
  OK(cudaGraphExecEventRecordNodeSetEvent(exec, nodes[3], late));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaEventQuery(late));
  OK(cudaEventElapsedTime(&once, stop, late));
  EXPECT(once > 0);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphEventWaitNodeSetEvent(nodes[3], late));  // it records
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  return 0;
}
