// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Few warps on an SM: 48 KB of shared memory leave room for three blocks; the twin needs none.
#include <cuda_runtime.h>

__global__ void few_warps(float* y) {  // advice: low-occupancy
  __shared__ float tile[12288];
  float v = 0.001f * threadIdx.x;
  for (int k = 0; k < 256; ++k) v = v * v + 0.5f;
  tile[threadIdx.x] = v;
  y[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x];
}

__global__ void many_warps(float* y) {
  float v = 0.001f * threadIdx.x;
  for (int k = 0; k < 256; ++k) v = v * v + 0.5f;
  y[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

int main() {
  const int blocks = 108 * 32;
  float* y;
  cudaMalloc(&y, sizeof(float) * blocks * 64);
  few_warps<<<blocks, 64>>>(y);
  many_warps<<<blocks, 64>>>(y);
  return cudaDeviceSynchronize();
}
