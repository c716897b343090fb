// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A latch of the C++ standard library for CUDA: lanes of one warp wait until their siblings, or other blocks,
// have counted it down.
#include <cuda/latch>
#include <new>

#include "expect.h"

using Latch = cuda::latch<cuda::thread_scope_device>;

/// Odd threads wait for the even ones, which write what they read.
__global__ void in_a_warp(Latch* latch, int* from, int* to) {
  const int t = threadIdx.x;
  if (t % 2 == 1) {
    latch->wait();
    to[t] = from[t - 1];
  } else {
    from[t] = 10 * t;
    latch->count_down();
  }
}

/// All threads of all blocks arrive and wait.
__global__ void in_a_grid(Latch* latch, int* from, int* to) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  from[t] = t;
  latch->arrive_and_wait();
  to[t] = from[n - 1 - t];
}

int main() {
  constexpr int n = 128;
  void* memory;
  int *from, *to;
  OK(cudaMallocManaged(&memory, sizeof(Latch)));
  OK(cudaMallocManaged(&from, n * sizeof(int)));
  OK(cudaMallocManaged(&to, n * sizeof(int)));
  Latch* latch = new (memory) Latch(16);
  in_a_warp<<<1, 32>>>(latch, from, to);
  OK(cudaDeviceSynchronize());
  EXPECT(latch->try_wait());
  for (int t = 1; t < 32; t += 2) EXPECT(to[t] == 10 * (t - 1));
  new (memory) Latch(n);
  in_a_grid<<<2, n / 2>>>(latch, from, to);
  OK(cudaDeviceSynchronize());
  for (int t = 0; t < n; ++t) EXPECT(to[t] == n - 1 - t);
  OK(cudaFree(memory));
  OK(cudaFree(from));
  OK(cudaFree(to));
}
