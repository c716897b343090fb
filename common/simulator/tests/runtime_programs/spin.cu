// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Never ends by itself: for tests that kill it.
#include "expect.h"

/// Not a wait that can be recognised as a deadlock: it works all the time, and odd numbers are never 0.
__global__ void spin(volatile unsigned* p) {
  for (unsigned i = 1; i != 0; i += 2) *p = i;
}

int main() {
  unsigned* p = nullptr;
  OK(cudaMalloc(&p, 4));
  OK(cudaMemset(p, 0, 4));
  std::printf("ready\n");
  std::fflush(stdout);
  spin<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  return 0;
}
