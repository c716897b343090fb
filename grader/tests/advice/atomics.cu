// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A sum with an atomic a thread on one address; the twin sums in the block first.
#include <cuda_runtime.h>

__global__ void one_address(const float* x, float* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, x[i]);  // advice: atomic-contention
}

__global__ void by_block(const float* x, float* sum) {
  __shared__ float partial[8];
  float v = 0;
  for (int k = 0; k < 8; ++k) v += x[(blockIdx.x * 8 + k) * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  v = threadIdx.x < 8 ? partial[threadIdx.x] : 0;
  for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x == 0) atomicAdd(sum, v);
}

int main() {
  const int n = 1 << 20;
  float *x, *sum;
  cudaMalloc(&x, sizeof(float) * n);
  cudaMalloc(&sum, sizeof(float));
  cudaMemset(x, 0, sizeof(float) * n);
  cudaMemset(sum, 0, sizeof(float));
  one_address<<<n / 256, 256>>>(x, sum);
  by_block<<<n / 2048, 256>>>(x, sum);
  return cudaDeviceSynchronize();
}
