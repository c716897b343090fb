// expect: too-slow
// bench: 64 x 64 tiles on FP32 lanes
// simulated: k=512
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// As good as FP32 lanes get: 64 x 64 tiles, 4 x 4 elements of C a thread in registers. They are 16 times
// slower than Tensor Cores.

#include "gemm.h"

namespace {

constexpr int kTile = 64, kDepth = 16, kEach = 4, kAcross = kTile / kEach;

__global__ void __launch_bounds__(256) product(const half* a, const half* b, float* c, int m, int n, int k) {
  __shared__ float left[kDepth][kTile + 4], right[kDepth][kTile];
  const int t = threadIdx.x, top = blockIdx.y * kTile, side = blockIdx.x * kTile;
  const int y = t / kAcross * kEach, x = t % kAcross * kEach;
  float sums[kEach][kEach] = {};
  for (int step = 0; step < k; step += kDepth) {
#pragma unroll
    for (int i = t; i < kTile * kDepth; i += 256) {
      const int ra = top + i / kDepth, ca = step + i % kDepth, rb = step + i / kTile, cb = side + i % kTile;
      left[i % kDepth][i / kDepth] = ra < m && ca < k ? __half2float(a[std::size_t(ra) * k + ca]) : 0.0f;
      right[i / kTile][i % kTile] = rb < k && cb < n ? __half2float(b[std::size_t(rb) * n + cb]) : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < kDepth; ++l) {
      const float4 u = *reinterpret_cast<const float4*>(&left[l][y]);
      const float4 v = *reinterpret_cast<const float4*>(&right[l][x]);
      const float us[kEach] = {u.x, u.y, u.z, u.w}, vs[kEach] = {v.x, v.y, v.z, v.w};
      for (int i = 0; i < kEach; ++i)
        for (int j = 0; j < kEach; ++j) sums[i][j] += us[i] * vs[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i)
    for (int j = 0; j < kEach; ++j)
      if (top + y + i < m && side + x + j < n) c[std::size_t(top + y + i) * n + side + x + j] = sums[i][j];
}

}  // namespace

void gemm(const half* a, const half* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const dim3 blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  product<<<blocks, 256, 0, stream>>>(a, b, c, m, n, k);
}
