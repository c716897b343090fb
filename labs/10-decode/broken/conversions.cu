// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of 4-bit weights times a vector of ones: a row's sum. Every access is coalesced, 16 bytes a lane. Why
// is it slow?
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr int kRows = 8192, kColumns = 8192, kWarps = 8;

/// The sum of eight weights of four bits, in two's complement.
__device__ float sum8(std::uint32_t word) {
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += static_cast<float>(static_cast<int>(word << (28 - 4 * k)) >> 28);
  return sum;
}

__global__ void row_sums(const uint4* w, float* y) {
  constexpr int kWords = kColumns / 32;  // of 16 bytes
  const int lane = static_cast<int>(threadIdx.x) % 32,
            row = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32;
  float sum = 0;
  for (int i = lane; i < kWords; i += 32) {
    const uint4 q = w[row * kWords + i];
    sum += (sum8(q.x) + sum8(q.y)) + (sum8(q.z) + sum8(q.w));
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (lane == 0) y[row] = sum;
}

int main() {
  constexpr std::size_t kBytes = std::size_t{kRows} * kColumns / 2;
  uint4* w = nullptr;
  float* y = nullptr;
  cudaMalloc(&w, kBytes);
  cudaMalloc(&y, sizeof(float) * kRows);
  cudaMemset(w, 0x5a, kBytes);
  row_sums<<<kRows / kWarps, 32 * kWarps>>>(w, y);
  cudaDeviceSynchronize();
  cudaFree(w);
  cudaFree(y);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
