// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The first warp of a block does all the work; in the twin every warp does its share.
#include <cuda_runtime.h>

__global__ void one_warp(float* y) {  // advice: uneven-work
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i;
  const int rounds = threadIdx.x < 32 ? 8 * 64 : 1;
  for (int k = 0; k < rounds; ++k) v = v * 1.01f + 0.5f;
  y[i] = v;
}

__global__ void all_warps(float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i;
  for (int k = 0; k < 64; ++k) v = v * 1.01f + 0.5f;
  y[i] = v;
}

int main() {
  const int n = 1 << 17;
  float* y;
  cudaMalloc(&y, sizeof(float) * n);
  one_warp<<<n / 256, 256>>>(y);
  all_warps<<<n / 256, 256>>>(y);
  return cudaDeviceSynchronize();
}
