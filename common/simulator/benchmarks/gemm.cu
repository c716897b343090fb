// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "measured.h"

constexpr int kTile = 16;

// C = A * B, square, row major, n a multiple of the tile.
__global__ void gemm(int n, const float* a, const float* b, float* c) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += kTile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + k0 + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main() {
  constexpr int kN = 256;
  constexpr size_t kBytes = kN * kN * sizeof(float);
  std::vector<float> a(kN * kN), b(kN * kN), c(kN * kN);
  for (int i = 0; i < kN * kN; ++i) {
    a[i] = static_cast<float>(i % 13 - 6);
    b[i] = static_cast<float>(i % 7 - 3);
  }
  float *d_a, *d_b, *d_c;
  check(cudaMalloc(&d_a, kBytes));
  check(cudaMalloc(&d_b, kBytes));
  check(cudaMalloc(&d_c, kBytes));
  check(cudaMemcpy(d_a, a.data(), kBytes, cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_b, b.data(), kBytes, cudaMemcpyHostToDevice));
  measure([&] { gemm<<<dim3(kN / kTile, kN / kTile), dim3(kTile, kTile)>>>(kN, d_a, d_b, d_c); });
  check(cudaMemcpy(c.data(), d_c, kBytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kN; i += 17)
    for (int j = 0; j < kN; ++j) {
      float sum = 0;
      for (int k = 0; k < kN; ++k) sum += a[i * kN + k] * b[k * kN + j];
      if (c[i * kN + j] != sum) return 1;  // small integers: exact in any order
    }
}
