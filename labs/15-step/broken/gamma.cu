// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The gradient of a norm's gamma, dgamma = sum over rows of da * n: a block for each row, every access
// coalesced, each element read once. Why is it slow?
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kRows = 1 << 14, kWidth = 256;

__global__ void gamma_gradient(const half* da, const half* n, float* dgamma) {
  const int column = static_cast<int>(threadIdx.x), at = static_cast<int>(blockIdx.x) * kWidth + column;
  atomicAdd(dgamma + column, __half2float(da[at]) * __half2float(n[at]));
}

int main() {
  constexpr std::size_t kBytes = sizeof(half) * kRows * kWidth;
  half *da = nullptr, *n = nullptr;
  float* dgamma = nullptr;
  cudaMalloc(&da, kBytes);
  cudaMalloc(&n, kBytes);
  cudaMalloc(&dgamma, sizeof(float) * kWidth);
  cudaMemset(da, 0, kBytes);
  cudaMemset(n, 0, kBytes);
  cudaMemset(dgamma, 0, sizeof(float) * kWidth);
  gamma_gradient<<<kRows, kWidth>>>(da, n, dgamma);
  cudaDeviceSynchronize();
  cudaFree(da);
  cudaFree(n);
  cudaFree(dgamma);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
