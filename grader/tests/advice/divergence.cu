// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Odd and even threads take different sides; the twin decides by warp.
#include <cuda_runtime.h>

__device__ float left(float v, int rounds) {
  for (int k = 0; k < rounds; ++k) v = v * 1.01f + 0.5f;
  return v;
}
__device__ float right(float v, int rounds) {
  for (int k = 0; k < rounds; ++k) v = __expf(v) - v;
  return v;
}

__global__ void by_thread(float* y, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = y[i];
  if (threadIdx.x % 2 == 0)  // advice: divergent-branch
    v = left(v, rounds);
  else
    v = right(v, rounds);
  y[i] = v;
}

__global__ void by_warp(float* y, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = y[i];
  if (threadIdx.x / 32 % 2 == 0)
    v = left(v, rounds);
  else
    v = right(v, rounds);
  y[i] = v;
}

int main() {
  const int n = 1 << 18;
  float* y;
  cudaMalloc(&y, sizeof(float) * n);
  cudaMemset(y, 0, sizeof(float) * n);
  by_thread<<<n / 256, 256>>>(y, 64);
  by_warp<<<n / 256, 256>>>(y, 64);
  return cudaDeviceSynchronize();
}
