// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, line 11
// Each block counts with an operation that is atomic for its own threads only.
#include <cstdio>
__global__ void count(const int* x, int* total) {
  if (x[blockIdx.x * blockDim.x + threadIdx.x] != 0) return;
#ifdef FIXED
  atomicAdd(total, 1);
#else
  atomicAdd_block(total, 1);
#endif
}
int main() {
  int *x, result = 0;
  cudaMalloc(&x, 2052);
  cudaMemset(x, 0, 2052);
  count<<<8, 64>>>(x, x + 512);
  cudaMemcpy(&result, x + 512, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
  cudaFree(x);
}
