// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, line 14
// finds: race global-memory, lines 14 and 19
// finds: race global-memory, line 17
// A lock that two blocks share, and that is a lock for the threads of one: the sum is not protected.
#include <cstdio>
#ifndef FIXED
#define atomicCAS(at, old, next) atomicCAS_block(at, old, next)
#define atomicExch(at, next) atomicExch_block(at, next)
#endif
__global__ void add(int* lock, int* sum) {
  if (threadIdx.x > 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *sum = *sum + 1 + blockIdx.x;
  __threadfence();
  atomicExch(lock, 0);
}
int main() {
  int *x, result = 0;
  cudaMalloc(&x, 8);
  cudaMemset(x, 0, 8);
  add<<<2, 32>>>(x, x + 1);
  cudaMemcpy(&result, x + 1, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
  cudaFree(x);
}
