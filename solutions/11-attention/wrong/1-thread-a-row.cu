// expect: too-slow
// bench: FP32 lanes, a thread for each row
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A thread for each row of queries, keys and values in shared memory, a running maximum and sum: right, and
// without Tensor Cores.

#include "attention.h"

namespace {

constexpr int kThreads = 128, kKeys = 16;

template <bool causal>
__global__ void __launch_bounds__(kThreads)
    attention_kernel(const half* q, const half* k, const half* v, half* o, int heads, int n) {
  __shared__ float keys[kKeys][kHeadSize], values[kKeys][kHeadSize];
  const int head = blockIdx.x % heads;
  const int first = (gridDim.x / heads - 1 - blockIdx.x / heads) * kThreads, row = first + threadIdx.x;
  const std::size_t begin = static_cast<std::size_t>(head) * n * kHeadSize;
  q += begin, k += begin, v += begin, o += begin;

  float query[kHeadSize], sums[kHeadSize] = {}, most = -INFINITY, sum = 0;
  const auto* own = reinterpret_cast<const uint4*>(q + min(row, n - 1) * kHeadSize);
  for (int c = 0; c < kHeadSize; c += 8) {
    const uint4 piece = own[c / 8];
    for (int i = 0; i < 8; ++i) query[c + i] = __half2float(reinterpret_cast<const half*>(&piece)[i]);
  }
  const int last = causal ? min(n, first + kThreads) : n;
  for (int key = 0; key < last; key += kKeys) {
    __syncthreads();
    for (int i = threadIdx.x; i < kKeys * kHeadSize; i += kThreads) {
      const bool inside = key + i / kHeadSize < n;
      keys[0][i] = inside ? __half2float(k[key * kHeadSize + i]) : 0;
      values[0][i] = inside ? __half2float(v[key * kHeadSize + i]) : 0;
    }
    __syncthreads();
    const int seen = min(kKeys, (causal ? min(n, row + 1) : n) - key);
    for (int j = 0; j < seen; ++j) {
      float score = 0;
      for (int c = 0; c < kHeadSize; ++c) score += query[c] * keys[j][c];
      score *= 0.125f;
      const float larger = fmaxf(most, score), shrink = __expf(most - larger), p = __expf(score - larger);
      most = larger;
      sum = sum * shrink + p;
      for (int c = 0; c < kHeadSize; ++c) sums[c] = sums[c] * shrink + p * values[j][c];
    }
  }
  if (row >= n) return;
  for (int c = 0; c < kHeadSize; ++c) o[row * kHeadSize + c] = __float2half(sums[c] / sum);
}

}  // namespace

void attention(const half* q, const half* k, const half* v, half* o, int heads, int n, bool causal,
               cudaStream_t stream) {
  if (heads == 0 || n == 0) return;
  const auto kernel = causal ? attention_kernel<true> : attention_kernel<false>;
  const int blocks = heads * ((n + kThreads - 1) / kThreads);
  kernel<<<blocks, kThreads, 0, stream>>>(q, k, v, o, heads, n);
}
