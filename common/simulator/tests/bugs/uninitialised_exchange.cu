// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: init global-memory, line 8
// Threads leave their number and take what was there. Who only leaves something reads nothing.
#include <cstdio>
__global__ void leave(int* last, int* before) {
  if (threadIdx.x > 0) return;
  const int old = atomicExch(last, static_cast<int>(blockIdx.x));
#ifndef FIXED
  before[blockIdx.x] = old;
#else
  static_cast<void>(old);
  before[blockIdx.x] = 0;
#endif
}
int main() {
  int *x, result = 0;
  cudaMalloc(&x, 36);
  leave<<<8, 32>>>(x, x + 1);
  cudaMemcpy(&result, x + 1, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
  cudaFree(x);
}
