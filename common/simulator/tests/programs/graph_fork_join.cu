// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Two streams in one capture: an event forks the second stream off, another joins it; the graph is a diamond.
#include "expect.h"

__global__ void set(int* p, int value) { *p = value; }
__global__ void add(int* to, const int* a, const int* b) { *to = *a + *b; }

int main() {
  int* p = nullptr;
  OK(cudaMalloc(&p, 4 * sizeof(int)));
  cudaStream_t main_stream, side;
  cudaEvent_t fork, join;
  OK(cudaStreamCreate(&main_stream));
  OK(cudaStreamCreate(&side));
  OK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  OK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

  OK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeThreadLocal));
  set<<<1, 1, 0, main_stream>>>(p, 1);
  OK(cudaEventRecord(fork, main_stream));
  OK(cudaStreamWaitEvent(side, fork, 0));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(side, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  add<<<1, 1, 0, side>>>(p + 1, p, p);         // 2
  add<<<1, 1, 0, main_stream>>>(p + 2, p, p);  // 2
  OK(cudaEventRecord(join, side));
  OK(cudaStreamWaitEvent(main_stream, join, 0));

  unsigned long long id = 0;
  cudaGraph_t so_far;
  const cudaGraphNode_t* frontier;
  size_t n = 0;
  OK(cudaStreamGetCaptureInfo(main_stream, &status, &id, &so_far, &frontier, nullptr, &n));
  EXPECT(status == cudaStreamCaptureStatusActive && id != 0 &&
         n == 2);  // the next node waits for both branches
  add<<<1, 1, 0, main_stream>>>(p + 3, p + 1, p + 2);
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(main_stream, &graph));
  EXPECT(graph == so_far);

  size_t nodes = 0, edges = 0, roots = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT(nodes == 4 && edges == 4 && roots == 1);

  // The side stream is free again: it is used as ever, and the graph runs in it.
  OK(cudaMemsetAsync(p, 0, 4 * sizeof(int), side));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, side));
  int got[4] = {};
  OK(cudaMemcpyAsync(got, p, sizeof got, cudaMemcpyDeviceToHost, side));
  OK(cudaStreamSynchronize(side));
  EXPECT(got[0] == 1 && got[1] == 2 && got[2] == 2 && got[3] == 4);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  return 0;
}
