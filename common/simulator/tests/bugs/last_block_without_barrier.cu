// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, lines 10 and 21
// The first warp draws the block's ticket when it has written itself: the others' values may come later.
#include <cstdio>
__global__ void sum(const int* x, int* partial, unsigned* tickets, int* total) {
  __shared__ bool last;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  // Every thread has a fence behind what it wrote, which orders nobody else's.
  partial[i] = 2 * x[i];
  __threadfence();
#ifdef FIXED
  __syncthreads();
#endif
  if (threadIdx.x == 0) last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  if (threadIdx.x > 0) return;
  int all = 0;
  for (unsigned k = 0; k < gridDim.x * blockDim.x; ++k) all += partial[k];
  *total = all;
}
int main() {
  int *x, result = 0;
  cudaMalloc(&x, 8192);
  cudaMemset(x, 0, 8192);
  sum<<<8, 64>>>(x, x + 512, reinterpret_cast<unsigned*>(x + 1024), x + 1028);
  cudaMemcpy(&result, x + 1028, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
  cudaFree(x);
}
