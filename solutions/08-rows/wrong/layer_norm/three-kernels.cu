// expect: too-slow
// bench: three kernels, 8 bytes an element
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Means, variances and results are a kernel each: 2 bytes an element, 2 more, and 4.

#include "layer_norm.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr unsigned kAll = 0xffffffff;

__device__ float over_row(float v) {
  __shared__ float of_warps[kWarps];
  for (int distance = 16; distance > 0; distance /= 2) v += __shfl_xor_sync(kAll, v, distance);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = of_warps[threadIdx.x % kWarps];
  for (int distance = kWarps / 2; distance > 0; distance /= 2) v += __shfl_xor_sync(kAll, v, distance);
  return v;
}

__global__ void means(const half* x, float* mean, int columns) {
  x += blockIdx.x * std::size_t(columns);
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += __half2float(x[c]);
  mean[blockIdx.x] = over_row(sum) / columns;
}

__global__ void variances(const half* x, const float* mean, float* variance, int columns) {
  x += blockIdx.x * std::size_t(columns);
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) {
    const float apart = __half2float(x[c]) - mean[blockIdx.x];
    sum += apart * apart;
  }
  variance[blockIdx.x] = over_row(sum) / columns;
}

__global__ void results(const half* x, const float* mean, const float* variance, const half* gamma,
                        const half* beta, half* y, int columns, float eps) {
  x += blockIdx.x * std::size_t(columns);
  y += blockIdx.x * std::size_t(columns);
  const float middle = mean[blockIdx.x], scale = rsqrtf(variance[blockIdx.x] + eps);
  for (int c = threadIdx.x; c < columns; c += kThreads)
    y[c] =
        __float2half((__half2float(x[c]) - middle) * scale * __half2float(gamma[c]) + __half2float(beta[c]));
}

}  // namespace

void layer_norm(const half* x, const half* gamma, const half* beta, half* y, int rows, int columns, float eps,
                cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  float* mean = nullptr;
  cudaMallocAsync(&mean, 2 * sizeof(float) * rows, stream);
  float* variance = mean + rows;
  means<<<unsigned(rows), kThreads, 0, stream>>>(x, mean, columns);
  variances<<<unsigned(rows), kThreads, 0, stream>>>(x, mean, variance, columns);
  results<<<unsigned(rows), kThreads, 0, stream>>>(x, mean, variance, gamma, beta, y, columns, eps);
  cudaFreeAsync(mean, stream);
}
