// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// An array that is indexed at run time lies in local memory; with constant indices it stays in registers.
#include <cuda_runtime.h>

__global__ void indexed(const int* index, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float values[16];
  for (int k = 0; k < 16; ++k) values[k] = i + k;
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += values[index[k] & 15];  // advice: local-array
  y[i] = sum;
}

__global__ void unrolled(float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float values[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) values[k] = i + k;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k) sum += values[k] * values[15 - k];
  y[i] = sum;
}

int main() {
  const int n = 1 << 17;
  int* index;
  float* y;
  cudaMalloc(&index, sizeof(int) * 16);
  cudaMalloc(&y, sizeof(float) * n);
  cudaMemset(index, 0, sizeof(int) * 16);
  indexed<<<n / 256, 256>>>(index, y);
  unrolled<<<n / 256, 256>>>(y);
  return cudaDeviceSynchronize();
}
