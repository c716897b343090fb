// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A launch does not wait for the graph's host functions: one may wait for the thread that launched the graph.
#include <atomic>
#include <thread>

#include "expect.h"

__global__ void add(int* p, int value) { *p += value; }

static std::atomic<bool> released{false};
static void CUDART_CB wait_for_main(void* data) {
  while (!released) std::this_thread::yield();
  *static_cast<int*>(data) *= 10;
}

int main() {
  int* shared = nullptr;
  OK(cudaMallocHost(&shared, sizeof(int)));
  *shared = 1;
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(shared, 1);
  OK(cudaLaunchHostFunc(stream, wait_for_main, shared));
  add<<<1, 1, 0, stream>>>(shared, 3);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  released = true;
  OK(cudaStreamSynchronize(stream));
  EXPECT(*shared == 23);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  return 0;
}
