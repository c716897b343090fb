// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, lines 9 and 18
// The block that draws the last ticket adds up what all have written: their values may be on their way still.
#include <cstdio>
__global__ void sum(const int* x, int* partial, unsigned* tickets, int* total) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = x[blockIdx.x];
#ifdef FIXED
    __threadfence();
#endif
    last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x > 0) return;
  int all = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) all += partial[i];
  *total = all;
}
int main() {
  int *x, result = 0;
  cudaMalloc(&x, 400);
  cudaMemset(x, 0, 400);
  sum<<<8, 64>>>(x, x + 32, reinterpret_cast<unsigned*>(x + 64), x + 96);
  cudaMemcpy(&result, x + 96, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
  cudaFree(x);
}
