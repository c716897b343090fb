// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Barriers: neighbours change values through shared memory, with the whole block waiting twice; then with a
// shuffle.
#include <cuda_runtime.h>

__global__ void by_block(float* y) {
  __shared__ float values[1024];
  float v = threadIdx.x;
  for (int k = 0; k < 64; ++k) {
    values[threadIdx.x] = v;
    __syncthreads();  // advice: frequent-barrier
    v = 0.5f * (v + values[threadIdx.x ^ 1]);
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

__global__ void by_warp(float* y) {
  float v = threadIdx.x;
  for (int k = 0; k < 64; ++k) v = 0.5f * (v + __shfl_xor_sync(~0u, v, 1));
  y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

int main() {
  const int blocks = 108 * 2;
  float* y;
  cudaMalloc(&y, sizeof(float) * blocks * 1024);
  by_block<<<blocks, 1024>>>(y);
  by_warp<<<blocks, 1024>>>(y);
  return cudaDeviceSynchronize();
}
