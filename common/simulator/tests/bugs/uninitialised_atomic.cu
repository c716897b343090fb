// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: init global-memory, line 6
// Counters start with whatever was in memory.
__global__ void count(unsigned* bins) {
  atomicAdd(&bins[threadIdx.x % 4], 1u);
}
int main() {
  unsigned* bins;
  cudaMalloc(&bins, 16);
#ifdef FIXED
  cudaMemset(bins, 0, 16);
#endif
  count<<<1, 64>>>(bins);
  cudaDeviceSynchronize();
  cudaFree(bins);
}
