// expect: excellent
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// 16 bytes a load where the addresses allow it, two loads on their way, and as many blocks as the device has
// room for. Now the instructions are the limit: two shifts, two masks and an addition for each element.

#include "histogram.h"

namespace {

constexpr int kBlock = 512, kBins = 256, kCopies = 32, kLoads = 2;

/// `copy` is the lane's own; its bins are kCopies words apart.
__device__ void add(std::uint32_t* copy, std::uint32_t key, std::uint32_t weight) {
  atomicAdd(&copy[kCopies * key], weight);
}

__device__ void add_four(std::uint32_t* copy, std::uint32_t keys, std::uint32_t weights) {
  for (int shift = 0; shift < 32; shift += 8) add(copy, keys >> shift & 0xff, weights >> shift & 0xff);
}

__device__ void add_sixteen(std::uint32_t* copy, uint4 keys, uint4 weights) {
  add_four(copy, keys.x, weights.x);
  add_four(copy, keys.y, weights.y);
  add_four(copy, keys.z, weights.z);
  add_four(copy, keys.w, weights.w);
}

__device__ void add_all(std::uint32_t* copy, const std::uint8_t* x, const std::uint8_t* w, std::size_t n) {
  const std::size_t thread = blockIdx.x * std::size_t(kBlock) + threadIdx.x,
                    threads = gridDim.x * std::size_t(kBlock);
  // Up to 15 bytes before the first whole group of 16, and up to 15 behind the last.
  const std::size_t before = min(n, (16 - reinterpret_cast<std::size_t>(x) % 16) % 16);
  const std::size_t groups = (n - before) / 16, behind = before + 16 * groups;
  const auto* x16 = reinterpret_cast<const uint4*>(x + before);
  const auto* w16 = reinterpret_cast<const uint4*>(w + before);

  if (thread < before) add(copy, x[thread], w[thread]);
  if (behind + thread < n) add(copy, x[behind + thread], w[behind + thread]);
  std::size_t i = thread;
  for (; i + (kLoads - 1) * threads < groups; i += kLoads * threads) {
    uint4 keys[kLoads], weights[kLoads];
    for (int k = 0; k < kLoads; ++k) {
      keys[k] = x16[i + k * threads];
      weights[k] = w16[i + k * threads];
    }
    for (int k = 0; k < kLoads; ++k) add_sixteen(copy, keys[k], weights[k]);
  }
  for (; i < groups; i += threads) add_sixteen(copy, x16[i], w16[i]);
}

__global__ void histogram_kernel(const std::uint8_t* x, const std::uint8_t* w, std::uint32_t* bins,
                                 std::size_t n) {
  __shared__ std::uint32_t copies[kBins][kCopies];
  for (int i = threadIdx.x; i < kBins * kCopies; i += kBlock) copies[i / kCopies][i % kCopies] = 0;
  __syncthreads();
  add_all(&copies[0][threadIdx.x % kCopies], x, w, n);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += kBlock) {
    std::uint32_t sum = 0;
    // Each lane begins with another copy: all would begin in the same bank.
    for (int k = 0; k < kCopies; ++k) sum += copies[bin][(bin + k) % kCopies];
    if (sum > 0) atomicAdd(&bins[bin], sum);
  }
}

}  // namespace

void histogram(const std::uint8_t* x, const std::uint8_t* w, std::uint32_t* bins, std::size_t n,
               cudaStream_t stream) {
  static const std::size_t resident = [] {
    int device = 0, sms = 0, blocks = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, histogram_kernel, kBlock, 0);
    return std::size_t(sms * blocks);
  }();
  const std::size_t useful = (n + 16 * kBlock - 1) / (16 * kBlock);
  const unsigned blocks = unsigned(useful < resident ? useful : resident);
  cudaMemsetAsync(bins, 0, kBins * sizeof(std::uint32_t), stream);
  if (n == 0) return;  // zeros are the answer
  histogram_kernel<<<blocks, kBlock, 0, stream>>>(x, w, bins, n);
}
