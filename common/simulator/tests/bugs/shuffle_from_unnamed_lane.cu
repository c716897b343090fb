// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync member-mask, line 15
// Groups of eight lanes add up, each with its own mask; the first step reaches into the neighbouring group.
#include <cstdio>
__global__ void sum(const int* x, int* y) {
  const unsigned mask = 0xffu << (threadIdx.x & 24);
  int value = x[threadIdx.x];
#ifdef FIXED
  const int first = 4;
#else
  const int first = 8;
#endif
#pragma unroll
  for (int distance = first; distance > 0; distance /= 2) value += __shfl_xor_sync(mask, value, distance);
  y[threadIdx.x] = value;
}
int main() {
  int *x, result = 0;
  cudaMalloc(&x, 256);
  cudaMemset(x, 0, 256);
  sum<<<1, 32>>>(x, x + 32);
  cudaMemcpy(&result, x + 32, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
  cudaFree(x);
}
