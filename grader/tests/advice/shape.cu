// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Launch shapes: one block for all the work, blocks of 40 threads; then a grid that fills the GPU.
#include <cuda_runtime.h>

__global__ void one_block(float* y, int n) {  // advice: small-grid
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = y[i] * 2.0f;
}

__global__ void odd_blocks(float* y, int n) {  // advice: partial-warp
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * 2.0f;
}

__global__ void many_blocks(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = y[i] * 2.0f;
}

int main() {
  const int n = 1 << 17;
  float* y;
  cudaMalloc(&y, sizeof(float) * n);
  cudaMemset(y, 0, sizeof(float) * n);
  one_block<<<1, 256>>>(y, n);
  odd_blocks<<<n / 40 + 1, 40>>>(y, n);
  many_blocks<<<n / 256, 256>>>(y, n);
  return cudaDeviceSynchronize();
}
