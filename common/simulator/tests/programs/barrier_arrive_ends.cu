// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Warps that arrive at a barrier without waiting for it (bar.arrive) and end: they have arrived all the same,
// and the barrier of as many threads as the block has waits for the others.
#include "expect.h"

constexpr int kHalf = 64;

__global__ void hand_over(const int* x, int* y) {
  __shared__ int between[kHalf];
  const unsigned i = threadIdx.x % kHalf;
  if (threadIdx.x < kHalf) {
    if (threadIdx.x >= 32)
      for (int k = 0; k < 200; k++) __nanosleep(1000);
    between[i] = x[i];
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    y[i] = between[kHalf - 1 - i];
  }
}

int main() {
  int *x, *y, host[kHalf];
  OK(cudaMalloc(&x, sizeof host));
  OK(cudaMalloc(&y, sizeof host));
  for (int i = 0; i < kHalf; i++) host[i] = 100 + i;
  OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  hand_over<<<1, 2 * kHalf>>>(x, y);
  OK(cudaGetLastError());
  OK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kHalf; i++) EXPECT_VALUE(100 + kHalf - 1 - i, host[i]);
  OK(cudaFree(x));
  OK(cudaFree(y));
}
