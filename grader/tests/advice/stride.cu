// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A load whose neighbours lie 128 bytes apart, inside an inlined function, and its coalesced twin.
#include <cuda_runtime.h>

__device__ float scaled(const float* x, int i, int stride) {
  return 2.0f * x[i * stride];  // advice: uncoalesced-access
}

__global__ void strided(const float* x, float* y, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = scaled(x, i, stride);
}

__global__ void coalesced(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

int main() {
  const int n = 1 << 17, stride = 32;
  float *x, *y;
  cudaMalloc(&x, sizeof(float) * n * stride);
  cudaMalloc(&y, sizeof(float) * n);
  cudaMemset(x, 0, sizeof(float) * n * stride);
  strided<<<n / 256, 256>>>(x, y, n, stride);
  coalesced<<<n / 256, 256>>>(x, y, n);
  return cudaDeviceSynchronize();
}
