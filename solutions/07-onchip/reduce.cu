// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A grid that just fills the device walks over x with loads of 16 bytes, four of them on their way in each
// thread. Shuffles add up a warp, one word of shared memory a warp the block. The block that draws the last
// ticket adds up what all have left, in the order of their numbers, so no bit depends on who came last.

#include "reduce.h"

namespace {

constexpr int kBlock = 256, kWarps = kBlock / 32, kMostBlocks = 2048, kLoads = 8;
constexpr unsigned kAll = 0xffffffffU;

struct Pair {
  float sum, max;
};
__device__ constexpr Pair kNothing = {0, -INFINITY};

__device__ Pair both(Pair a, Pair b) {
  // fmaxf would lose a NaN.
  return {a.sum + b.sum, a.max > b.max || a.max != a.max ? a.max : b.max};
}
__device__ Pair with(Pair p, float v) { return both({v, v}, p); }
__device__ Pair with(Pair p, float4 v) {
  return both(both(both({v.x, v.x}, {v.y, v.y}), both({v.z, v.z}, {v.w, v.w})), p);
}

__device__ Pair of_warp(Pair p) {
  for (int distance = 16; distance > 0; distance /= 2)
    p = both(p, {__shfl_down_sync(kAll, p.sum, distance), __shfl_down_sync(kAll, p.max, distance)});
  return p;
}

// In thread 0.
__device__ Pair of_block(Pair p) {
  __shared__ Pair warps[kWarps];
  p = of_warp(p);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = p;
  __syncthreads();
  if (threadIdx.x < 32) p = of_warp(threadIdx.x < kWarps ? warps[threadIdx.x] : kNothing);
  return p;
}

__device__ Pair of_thread(const float* x, std::size_t n) {
  const std::size_t thread = blockIdx.x * std::size_t(kBlock) + threadIdx.x,
                    threads = gridDim.x * std::size_t(kBlock);
  // Up to three floats before the first whole group of 16 bytes, and up to three behind the last.
  const std::size_t before = min(n, (16 - reinterpret_cast<std::size_t>(x) % 16) % 16 / 4);
  const std::size_t groups = (n - before) / 4, behind = before + 4 * groups;
  const auto* x4 = reinterpret_cast<const float4*>(x + before);

  Pair p = kNothing;
  if (thread < before) p = with(p, x[thread]);
  if (behind + thread < n) p = with(p, x[behind + thread]);
  std::size_t i = thread;
  for (; i + (kLoads - 1) * threads < groups; i += kLoads * threads) {
    float4 v[kLoads];
    for (int k = 0; k < kLoads; ++k) v[k] = x4[i + k * threads];
    for (int k = 0; k < kLoads; ++k) p = with(p, v[k]);
  }
  // The rest together, too: one after the other they would take as long as eight rounds.
  float4 v[kLoads];
  for (int k = 0; k < kLoads; ++k)
    if (i + k * threads < groups) v[k] = x4[i + k * threads];
  for (int k = 0; k < kLoads; ++k)
    if (i + k * threads < groups) p = with(p, v[k]);
  return p;
}

// Calls follow each other, and each leaves a 0 here.
__device__ unsigned tickets;

__global__ void reduce_kernel(const float* x, float* sum, float* max, std::size_t n, Pair* partial) {
  __shared__ bool last;
  const Pair mine = of_block(of_thread(x, n));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = mine;
    __threadfence();                                             // whoever sees the ticket sees the pair
    last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;  // and the next one is 0 again
  }
  __syncthreads();
  if (!last) return;
  Pair p = kNothing;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += kBlock) p = both(p, partial[i]);
  p = of_block(p);
  if (threadIdx.x > 0) return;
  *sum = p.sum;
  *max = p.max;
}

}  // namespace

void reduce(const float* x, float* sum, float* max, std::size_t n, float* scratch, cudaStream_t stream) {
  static const std::size_t resident = [] {
    int device = 0, sms = 0, blocks = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reduce_kernel, kBlock, 0);
    return std::size_t(min(sms * blocks, kMostBlocks));
  }();
  const std::size_t useful = (n + 4 * kBlock - 1) / (4 * kBlock);
  const unsigned blocks = useful == 0 ? 1 : unsigned(useful < resident ? useful : resident);
  reduce_kernel<<<blocks, kBlock, 0, stream>>>(x, sum, max, n, reinterpret_cast<Pair*>(scratch));
}
