// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A transpose by way of shared memory: every access to global memory is coalesced. Why is it slow?
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kTile = 32, kSide = 2048;

__global__ void transpose(const float* x, float* y) {
  __shared__ float tile[kTile][kTile];
  const int column = static_cast<int>(blockIdx.x) * kTile, row = static_cast<int>(blockIdx.y) * kTile;
  const int lane = static_cast<int>(threadIdx.x), line = static_cast<int>(threadIdx.y);
  tile[line][lane] = x[(row + line) * kSide + column + lane];
  __syncthreads();
  y[(column + line) * kSide + row + lane] = tile[lane][line];
}

int main() {
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, sizeof(float) * kSide * kSide);
  cudaMalloc(&y, sizeof(float) * kSide * kSide);
  cudaMemset(x, 0, sizeof(float) * kSide * kSide);
  transpose<<<dim3(kSide / kTile, kSide / kTile), dim3(kTile, kTile)>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
