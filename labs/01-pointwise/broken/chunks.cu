// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// y = 2x + 1 with 221 184 threads, as many as the A100 holds, and far below what its memory can do. Why?
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kThreads = 256, kBlocks = 864, kChunk = 40;
constexpr int kCount = kThreads * kBlocks * kChunk;

__global__ void scale(const float* x, float* y) {
  const int thread = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  for (int k = 0; k < kChunk; ++k) {
    const int i = thread * kChunk + k;
    y[i] = 2.0F * x[i] + 1.0F;
  }
}

int main() {
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, sizeof(float) * kCount);
  cudaMalloc(&y, sizeof(float) * kCount);
  cudaMemset(x, 0, sizeof(float) * kCount);
  scale<<<kBlocks, kThreads>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
