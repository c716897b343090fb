// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Host threads that use the device at the same time, each with a stream and an error of its own.
#include <thread>
#include <vector>

#include "expect.h"

__global__ void add(int* p, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += value;
}

static void work(int id) {
  const int n = 5000;
  std::vector<int> host(n, id);
  int* p = nullptr;
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaMalloc(&p, n * sizeof(int)));
  for (int round = 0; round < 20; round++) {
    OK(cudaMemcpyAsync(p, host.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
    add<<<20, 256, 0, stream>>>(p, n, round);
    OK(cudaMemcpyAsync(host.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
  }
  for (int value : host) EXPECT(value == id + 190);
  if (id == 0) EXPECT_RESULT(cudaErrorInvalidValue, cudaMemset(p, 0, n * sizeof(int) + 1));
  EXPECT(cudaGetLastError() == (id == 0 ? cudaErrorInvalidValue : cudaSuccess));
  OK(cudaFree(p));
}

int main() {
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; id++) threads.emplace_back(work, id);
  for (auto& thread : threads) thread.join();
  return 0;
}
