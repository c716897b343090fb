// expect: excellent
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// 16 bytes a load where x allows it: a quarter of the requests, four times the bytes on their way.

#include "reduce.h"

namespace {

constexpr int kBlock = 256, kBlocks = 1024;

__device__ float greater(float a, float b) { return a > b || a != a ? a : b; }

__device__ void of_warp(float& s, float& m) {
  for (int distance = 16; distance > 0; distance /= 2) {
    s += __shfl_down_sync(0xffffffffU, s, distance);
    m = greater(__shfl_down_sync(0xffffffffU, m, distance), m);
  }
}

// The sum and the greatest of a block, in thread 0.
__device__ void of_block(float& s, float& m) {
  constexpr int kWarps = kBlock / 32;
  __shared__ float sums[kWarps], greatest[kWarps];
  of_warp(s, m);
  if (threadIdx.x % 32 == 0) {
    sums[threadIdx.x / 32] = s;
    greatest[threadIdx.x / 32] = m;
  }
  __syncthreads();
  if (threadIdx.x >= 32) return;
  s = threadIdx.x < kWarps ? sums[threadIdx.x] : 0;
  m = threadIdx.x < kWarps ? greatest[threadIdx.x] : -INFINITY;
  of_warp(s, m);
}

__global__ void first_kernel(const float* x, std::size_t n, float* partial) {
  float s = 0, m = -INFINITY;
  const std::size_t thread = blockIdx.x * std::size_t(kBlock) + threadIdx.x;
  const std::size_t groups = reinterpret_cast<std::size_t>(x) % 16 == 0 ? n / 4 : 0;
  const auto* x4 = reinterpret_cast<const float4*>(x);
  for (std::size_t i = thread; i < groups; i += kBlocks * kBlock) {
    const float4 v = x4[i];
    s += (v.x + v.y) + (v.z + v.w);
    m = greater(greater(greater(v.x, v.y), greater(v.z, v.w)), m);
  }
  for (std::size_t i = 4 * groups + thread; i < n; i += kBlocks * kBlock) {
    s += x[i];
    m = greater(x[i], m);
  }
  of_block(s, m);
  if (threadIdx.x > 0) return;
  partial[blockIdx.x] = s;
  partial[kBlocks + blockIdx.x] = m;
}

__global__ void second_kernel(const float* partial, float* sum, float* max) {
  float s = 0, m = -INFINITY;
  for (int i = threadIdx.x; i < kBlocks; i += kBlock) {
    s += partial[i];
    m = greater(partial[kBlocks + i], m);
  }
  of_block(s, m);
  if (threadIdx.x > 0) return;
  *sum = s;
  *max = m;
}

}  // namespace

void reduce(const float* x, float* sum, float* max, std::size_t n, float* scratch, cudaStream_t stream) {
  first_kernel<<<kBlocks, kBlock, 0, stream>>>(x, n, scratch);
  second_kernel<<<1, kBlock, 0, stream>>>(scratch, sum, max);
}
