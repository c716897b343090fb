// expect: budget-exceeded
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Three kernels, as the formula has three steps: all scores to memory, a softmax of each row, a product with
// the values. n^2 heads numbers are written twice and read three times.

#include "attention.h"

namespace {

constexpr int kThreads = 256;

__global__ void scores(const half* q, const half* k, float* s, int heads, int n, bool causal) {
  const std::size_t at = blockIdx.x * std::size_t{kThreads} + threadIdx.x, row = at / n, key = at % n;
  if (row >= std::size_t(heads) * n) return;
  const half *a = q + row * kHeadSize, *b = k + (row / n * n + key) * kHeadSize;
  float sum = 0;
  for (int c = 0; c < kHeadSize; ++c) sum += __half2float(a[c]) * __half2float(b[c]);
  s[at] = causal && key > row % n ? -INFINITY : sum * 0.125f;
}

__global__ void softmax(float* s, int heads, int n) {
  const std::size_t row = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  if (row >= std::size_t(heads) * n) return;
  float* of = s + row * n;
  float most = -INFINITY, sum = 0;
  for (int j = 0; j < n; ++j) most = fmaxf(most, of[j]);
  for (int j = 0; j < n; ++j) sum += of[j] = __expf(of[j] - most);
  for (int j = 0; j < n; ++j) of[j] /= sum;
}

__global__ void products(const float* s, const half* v, half* o, int heads, int n) {
  const std::size_t at = blockIdx.x * std::size_t{kThreads} + threadIdx.x, row = at / kHeadSize;
  if (row >= std::size_t(heads) * n) return;
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += s[row * n + j] * __half2float(v[(row / n * n + j) * kHeadSize + at % kHeadSize]);
  o[at] = __float2half(sum);
}

int blocks(std::size_t threads) { return (threads + kThreads - 1) / kThreads; }

}  // namespace

void attention(const half* q, const half* k, const half* v, half* o, int heads, int n, bool causal,
               cudaStream_t stream) {
  if (heads == 0 || n == 0) return;
  const std::size_t rows = std::size_t(heads) * n;
  float* s = nullptr;
  cudaMallocAsync(&s, rows * n * sizeof(float), stream);
  scores<<<blocks(rows * n), kThreads, 0, stream>>>(q, k, s, heads, n, causal);
  softmax<<<blocks(rows), kThreads, 0, stream>>>(s, heads, n);
  products<<<blocks(rows * kHeadSize), kThreads, 0, stream>>>(s, v, o, heads, n);
  cudaFreeAsync(s, stream);
}
