// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race unfenced-ticket, lines 11 and 18
// Blocks leave all with atomics, which is no data race, but the last ticket may be seen before what they
// left.
#include <cstdio>
__global__ void longest(const int* x, int* most, unsigned* tickets, int* result) {
  // The sums of a block are atomics of several warps: the fence of thread 0 behind the barrier covers them.
  __shared__ bool last;
  const int mine = x[blockIdx.x * blockDim.x + threadIdx.x];
  if (threadIdx.x % 32 == 0) atomicMax(most, mine);
  __syncthreads();
#ifdef FIXED
  if (threadIdx.x == 0) __threadfence();
#endif
  if (threadIdx.x == 0) last = atomicAdd(tickets, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) *result = atomicExch(most, 0);
}
int main() {
  int *x, result = 0;
  cudaMalloc(&x, 4096);
  cudaMemset(x, 0, 4096);
  longest<<<8, 64>>>(x, x + 600, reinterpret_cast<unsigned*>(x + 700), x + 800);
  cudaMemcpy(&result, x + 800, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", result);
  cudaFree(x);
}
