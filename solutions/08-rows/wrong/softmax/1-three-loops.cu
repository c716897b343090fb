// expect: too-slow
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A block for each row, which it reads three times, one half a thread: for the maximum, for the sum, for the
// results. DRAM delivers the row once, the caches the other two times.

#include "softmax.h"

namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr float kLowest = -65504;  // of all finite halves
constexpr unsigned kAll = 0xffffffff;

/// `op` over the threads of the block; each gets the result.
template <class Op>
__device__ float over_row(float v, float* of_warps, Op op) {
  for (int distance = 16; distance > 0; distance /= 2) v = op(v, __shfl_xor_sync(kAll, v, distance));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = of_warps[threadIdx.x % kWarps];
  for (int distance = kWarps / 2; distance > 0; distance /= 2) v = op(v, __shfl_xor_sync(kAll, v, distance));
  return v;
}

__global__ void softmax_kernel(const half* x, half* y, int columns) {
  __shared__ float most_of_warps[kWarps], sum_of_warps[kWarps];
  x += blockIdx.x * std::size_t(columns);
  y += blockIdx.x * std::size_t(columns);

  float most = kLowest, sum = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) most = fmaxf(most, __half2float(x[c]));
  most = over_row(most, most_of_warps, [](float a, float b) { return fmaxf(a, b); });
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += __expf(__half2float(x[c]) - most);
  sum = over_row(sum, sum_of_warps, [](float a, float b) { return a + b; });
  const float scale = 1 / sum;
  for (int c = threadIdx.x; c < columns; c += kThreads)
    y[c] = __float2half(__expf(__half2float(x[c]) - most) * scale);
}

}  // namespace

void softmax(const half* x, half* y, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  softmax_kernel<<<unsigned(rows), kThreads, 0, stream>>>(x, y, columns);
}
