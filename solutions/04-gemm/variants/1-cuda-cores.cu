// expect: none
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// No Tensor Cores: 32 x 32 tiles in shared memory, one element of C a thread, FP32.

#include "gemm.h"

namespace {

constexpr int kTile = 32;

__global__ void product(const half* a, const half* b, float* c, int m, int n, int k) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int step = 0; step < k; step += kTile) {
    left[y][x] = row < m && step + x < k ? __half2float(a[std::size_t(row) * k + step + x]) : 0.0f;
    right[y][x] = step + y < k && column < n ? __half2float(b[std::size_t(step + y) * n + column]) : 0.0f;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[std::size_t(row) * n + column] = sum;
}

}  // namespace

void gemm(const half* a, const half* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  product<<<blocks, dim3(kTile, kTile), 0, stream>>>(a, b, c, m, n, k);
}
