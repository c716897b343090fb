// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "read.h"

namespace {

constexpr unsigned kBlock = 256;
constexpr std::size_t kChunk = 4096;

// Sum over the block; the result is in thread 0.
__device__ float block_sum(float v) {
  __shared__ float partial[kBlock / 32];
  for (int distance = 16; distance > 0; distance /= 2) v += __shfl_down_sync(0xffffffffU, v, distance);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < kBlock / 32 ? partial[threadIdx.x] : 0.0f;
  if (threadIdx.x < 32)
    for (int distance = 4; distance > 0; distance /= 2) v += __shfl_down_sync(0xffffffffU, v, distance);
  return v;
}

__device__ float sum(float4 v) { return (v.x + v.y) + (v.z + v.w); }

// A block sums one chunk of 4096: four 16-byte loads a thread, all in flight together. x is 16-byte aligned.
__global__ void sum_chunks(const float* x, float* y, std::size_t n) {
  const std::size_t first = blockIdx.x * kChunk;
  float v = 0;
  if (first + kChunk <= n) {
    const auto* x4 = reinterpret_cast<const float4*>(x + first) + threadIdx.x;
    const float4 a = x4[0], b = x4[kBlock], c = x4[2 * kBlock], d = x4[3 * kBlock];
    v = (sum(a) + sum(b)) + (sum(c) + sum(d));
  } else {
    for (std::size_t i = first + threadIdx.x; i < n; i += kBlock) v += x[i];
  }
  v = block_sum(v);
  if (threadIdx.x == 0) y[blockIdx.x] = v;
}

}  // namespace

void read_roof(const float* x, float* y, std::size_t n, cudaStream_t stream) {
  if (n > 0) sum_chunks<<<static_cast<unsigned>((n + kChunk - 1) / kChunk), kBlock, 0, stream>>>(x, y, n);
}
