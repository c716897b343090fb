// expect: too-slow
// bench: three kernels, 8 bytes an element
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 1. Each step of the formula is a kernel of its own: 2 bytes for the maxima, 2 for the sums, 4 for the
// results.

#include "softmax.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr unsigned kAll = 0xffffffff;

template <class Op>
__device__ float over_row(float v, Op op) {
  __shared__ float of_warps[kWarps];
  for (int distance = 16; distance > 0; distance /= 2) v = op(v, __shfl_xor_sync(kAll, v, distance));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = of_warps[threadIdx.x % kWarps];
  for (int distance = kWarps / 2; distance > 0; distance /= 2) v = op(v, __shfl_xor_sync(kAll, v, distance));
  return v;
}

__global__ void maxima(const half* x, float* most, int columns) {
  x += blockIdx.x * std::size_t(columns);
  float v = -65504;
  for (int c = threadIdx.x; c < columns; c += kThreads) v = fmaxf(v, __half2float(x[c]));
  most[blockIdx.x] = over_row(v, [](float a, float b) { return fmaxf(a, b); });
}

__global__ void sums(const half* x, const float* most, float* sum, int columns) {
  x += blockIdx.x * std::size_t(columns);
  float v = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) v += __expf(__half2float(x[c]) - most[blockIdx.x]);
  sum[blockIdx.x] = over_row(v, [](float a, float b) { return a + b; });
}

__global__ void results(const half* x, const float* most, const float* sum, half* y, int columns) {
  x += blockIdx.x * std::size_t(columns);
  y += blockIdx.x * std::size_t(columns);
  for (int c = threadIdx.x; c < columns; c += kThreads)
    y[c] = __float2half(__expf(__half2float(x[c]) - most[blockIdx.x]) / sum[blockIdx.x]);
}

}  // namespace

void softmax(const half* x, half* y, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  float* most = nullptr;
  cudaMallocAsync(&most, 2 * sizeof(float) * rows, stream);
  float* sum = most + rows;
  maxima<<<unsigned(rows), kThreads, 0, stream>>>(x, most, columns);
  sums<<<unsigned(rows), kThreads, 0, stream>>>(x, most, sum, columns);
  results<<<unsigned(rows), kThreads, 0, stream>>>(x, most, sum, y, columns);
  cudaFreeAsync(most, stream);
}
