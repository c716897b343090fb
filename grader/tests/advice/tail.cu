// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Waves of blocks: 108 SMs take three of these each, and the 36 after them wait for a second wave; then one
// wave.
#include <cuda_runtime.h>

__global__ void two_waves(int* y, int steps) {  // advice: tail-effect
  __shared__ int next[12288];
  next[threadIdx.x] = (threadIdx.x + 32) % 384;
  __syncthreads();
  int at = threadIdx.x;
  for (int k = 0; k < steps; ++k) at = next[at];
  y[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

__global__ void one_wave(int* y, int steps) {
  __shared__ int next[12288];
  next[threadIdx.x] = (threadIdx.x + 32) % 384;
  __syncthreads();
  int at = threadIdx.x;
  for (int k = 0; k < steps; ++k) at = next[at];
  y[blockIdx.x * blockDim.x + threadIdx.x] = at;
}

int main() {
  int* y;
  cudaMalloc(&y, sizeof(int) * 360 * 384);
  two_waves<<<360, 384>>>(y, 1000);
  one_wave<<<324, 384>>>(y, 1000);
  return cudaDeviceSynchronize();
}
