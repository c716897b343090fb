// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// What kernels print comes out at synchronisation, in order with what the host prints.
#include "expect.h"

__global__ void speak(int round) { printf("round %d thread %d %s %.2f\n", round, threadIdx.x, "text", 0.5); }

int main() {
  std::printf("before\n");
  speak<<<1, 2>>>(1);
  OK(cudaDeviceSynchronize());
  std::printf("between\n");
  speak<<<1, 1>>>(2);
  speak<<<1, 1>>>(3);
  int* p = nullptr;
  OK(cudaMalloc(&p, 4));
  OK(cudaStreamSynchronize(nullptr));
  std::printf("after\n");
  return 0;
}
