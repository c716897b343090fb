// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows minus their maximum, a warp for each row: the row is read once and kept by its warp. Why is it slow?
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kRows = 1 << 14, kColumns = 1024, kWarps = 8, kMost = 32;

__global__ void subtract_maximum(const float* x, float* y, int columns) {
  const int lane = static_cast<int>(threadIdx.x) % 32,
            row = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32;
  float kept[kMost];
  const int each = columns / 32;
  float maximum = -INFINITY;
  for (int k = 0; k < each; ++k) {
    kept[k] = x[row * columns + 32 * k + lane];
    maximum = fmaxf(maximum, kept[k]);
  }
  for (int distance = 16; distance > 0; distance /= 2)
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffff, maximum, distance));
  for (int k = 0; k < each; ++k) y[row * columns + 32 * k + lane] = kept[k] - maximum;
}

int main() {
  constexpr std::size_t kBytes = sizeof(float) * kRows * kColumns;
  float *x = nullptr, *y = nullptr;
  cudaMalloc(&x, kBytes);
  cudaMalloc(&y, kBytes);
  cudaMemset(x, 0, kBytes);
  subtract_maximum<<<kRows / kWarps, 32 * kWarps>>>(x, y, kColumns);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
