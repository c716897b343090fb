// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Built with --default-stream per-thread: what names no stream goes to the thread's own default stream, and
// the threads' streams do not wait for each other.
// nvcc: --default-stream per-thread
#include <thread>
#include <vector>

#include "expect.h"

__global__ void fill(int* p, int value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value;
}

void work(int value, unsigned long long* id) {
  const int n = 1000;
  int* d;
  OK(cudaMalloc(&d, n * sizeof(int)));
  OK(cudaMemset(d, 0, n * sizeof(int)));
  fill<<<(n + 255) / 256, 256>>>(d, value, n);
  std::vector<int> host(n);
  OK(cudaMemcpy(host.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int x : host) EXPECT(x == value);
  OK(cudaStreamGetId(cudaStreamPerThread, id));
  unsigned long long default_id = 0, legacy_id = 0;
  OK(cudaStreamGetId(0, &default_id));  // means the thread's own
  OK(cudaStreamGetId(cudaStreamLegacy, &legacy_id));
  EXPECT(default_id == *id && legacy_id != *id);
  OK(cudaStreamSynchronize(0));
  OK(cudaFree(d));
}

int main() {
  const int n = 4;
  std::vector<std::thread> threads;
  std::vector<unsigned long long> ids(n);
  for (int i = 0; i < n; i++) threads.emplace_back(work, 10 + i, &ids[i]);
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < n; i++)
    for (int k = 0; k < i; k++) EXPECT(ids[i] != ids[k]);
}
