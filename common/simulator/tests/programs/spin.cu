// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Never ends by itself: for tests that kill it.
#include "expect.h"

__global__ void spin(volatile int* p) {
  while (*p == 0) {
  }
}

int main() {
  int* p = nullptr;
  OK(cudaMalloc(&p, 4));
  OK(cudaMemset(p, 0, 4));
  std::printf("ready\n");
  std::fflush(stdout);
  spin<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  return 0;
}
