// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Host threads that launch graphs at the same time, with host functions between their kernels.
#include <thread>
#include <vector>

#include "expect.h"

__global__ void add(int* p, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += value;
}

static void CUDART_CB count(void* data) { ++*static_cast<int*>(data); }

static void work(int id) {
  const int n = 1000, rounds = 20;
  int *p = nullptr, calls = 0;
  std::vector<int> host(n, id), result(n);
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaMalloc(&p, n * sizeof(int)));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  OK(cudaMemcpyAsync(p, host.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
  add<<<4, 256, 0, stream>>>(p, n, 1);
  OK(cudaLaunchHostFunc(stream, count, &calls));
  add<<<4, 256, 0, stream>>>(p, n, 1000);
  OK(cudaMemcpyAsync(result.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int round = 0; round < rounds; round++) {
    for (int& x : host) x = id * round;
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    for (int x : result) EXPECT(x == id * round + 1001);
  }
  EXPECT(calls == rounds);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}

int main() {
  OK(cudaFree(nullptr));
  std::vector<std::thread> threads;
  for (int id = 1; id <= 4; id++) threads.emplace_back(work, id);
  for (auto& thread : threads) thread.join();
  return 0;
}
