// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Matrix product with tiles in shared memory; sizes that are no multiple of the tile.
#include <cmath>
#include <vector>

#include "expect.h"

constexpr int kTile = 16;

__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float s_a[kTile][kTile], s_b[kTile][kTile + 1];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += kTile) {
    const int x = t + threadIdx.x, y = t + threadIdx.y;
    s_a[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0.0f;
    s_b[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; i++) sum += s_a[threadIdx.y][i] * s_b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

int main() {
  const int m = 50, n = 37, k = 61;
  float *a, *b, *c;
  OK(cudaMallocManaged(&a, m * k * sizeof(float)));
  OK(cudaMallocManaged(&b, k * n * sizeof(float)));
  OK(cudaMallocManaged(&c, m * n * sizeof(float)));
  for (int i = 0; i < m * k; i++) a[i] = static_cast<float>(i % 17) - 8;
  for (int i = 0; i < k * n; i++) b[i] = static_cast<float>(i % 13) * 0.25f;
  multiply<<<dim3((n + kTile - 1) / kTile, (m + kTile - 1) / kTile), dim3(kTile, kTile)>>>(a, b, c, m, n, k);
  OK(cudaDeviceSynchronize());
  for (int y = 0; y < m; y++)
    for (int x = 0; x < n; x++) {
      double sum = 0;
      for (int i = 0; i < k; i++) sum += double(a[y * k + i]) * b[i * n + x];
      EXPECT(std::fabs(c[y * n + x] - sum) < 1e-3);
    }
  return 0;
}
