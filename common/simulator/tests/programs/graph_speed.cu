// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The same chain of short kernels as stream launches and as a graph: the graph's nodes follow each other
// faster.
#include <algorithm>

#include "expect.h"

__global__ void step(int* p) { *p += 1; }

int main() {
  const int steps = 200;
  int* p = nullptr;
  OK(cudaMalloc(&p, sizeof(int)));
  OK(cudaMemset(p, 0, sizeof(int)));
  cudaStream_t stream;
  cudaEvent_t start, stop;
  OK(cudaStreamCreate(&stream));
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < steps; i++) step<<<1, 1, 0, stream>>>(p);
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphUpload(exec, stream));

  float launches = 1e9f, replay = 1e9f, ms = 0;
  for (int round = 0; round < 5; round++) {
    OK(cudaStreamSynchronize(stream));
    OK(cudaEventRecord(start, stream));
    for (int i = 0; i < steps; i++) step<<<1, 1, 0, stream>>>(p);
    OK(cudaEventRecord(stop, stream));
    OK(cudaEventSynchronize(stop));
    OK(cudaEventElapsedTime(&ms, start, stop));
    launches = std::min(launches, ms);
    OK(cudaEventRecord(start, stream));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaEventRecord(stop, stream));
    OK(cudaEventSynchronize(stop));
    OK(cudaEventElapsedTime(&ms, start, stop));
    replay = std::min(replay, ms);
  }
  int count = 0;
  OK(cudaMemcpy(&count, p, sizeof count, cudaMemcpyDeviceToHost));
  EXPECT(count == 10 * steps);
  std::printf("microseconds a kernel: %.2f in a stream, %.2f in a graph\n", 1e3f * launches / steps,
              1e3f * replay / steps);
  EXPECT(replay < 0.85f * launches);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  return 0;
}
