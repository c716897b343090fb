// expect: too-slow
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A block for each row, which it reads three times, one half a thread: for the mean, for the variance, for
// the results. DRAM delivers the row once, the caches the other two times.

#include "layer_norm.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr unsigned kAll = 0xffffffff;

/// The sum over the threads of the block; each gets it.
__device__ float over_row(float v, float* of_warps) {
  for (int distance = 16; distance > 0; distance /= 2) v += __shfl_xor_sync(kAll, v, distance);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = of_warps[threadIdx.x % kWarps];
  for (int distance = kWarps / 2; distance > 0; distance /= 2) v += __shfl_xor_sync(kAll, v, distance);
  return v;
}

__global__ void layer_norm_kernel(const half* x, const half* gamma, const half* beta, half* y, int columns,
                                  float eps) {
  __shared__ float sums[kWarps], squares[kWarps];
  x += blockIdx.x * std::size_t(columns);
  y += blockIdx.x * std::size_t(columns);

  float sum = 0, around = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += __half2float(x[c]);
  const float mean = over_row(sum, sums) / columns;
  for (int c = threadIdx.x; c < columns; c += kThreads) {
    const float apart = __half2float(x[c]) - mean;
    around += apart * apart;
  }
  const float scale = rsqrtf(over_row(around, squares) / columns + eps);
  for (int c = threadIdx.x; c < columns; c += kThreads)
    y[c] = __float2half((__half2float(x[c]) - mean) * scale * __half2float(gamma[c]) + __half2float(beta[c]));
}

}  // namespace

void layer_norm(const half* x, const half* gamma, const half* beta, half* y, int rows, int columns, float eps,
                cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  layer_norm_kernel<<<unsigned(rows), kThreads, 0, stream>>>(x, gamma, beta, y, columns, eps);
}
