// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A block has 32 copies of the sums in shared memory, 32 KiB: copy k lies in bank k, and lane k adds
// there. So lanes never meet in a bank, whatever the keys are. 16 bytes a load, two loads on their way in
// each thread, and one instruction finds the place of a key's sum. At the end the block adds up its
// copies and brings 256 sums to global memory.

#include "histogram.h"

namespace {

constexpr int kBlock = 512, kBins = 256, kCopies = 32, kLoads = 2;

constexpr unsigned kApart = kCopies * sizeof(std::uint32_t);  // bytes from a lane's sum to its next

__device__ void add(char* sum, std::uint32_t weight) {
  atomicAdd(reinterpret_cast<std::uint32_t*>(sum), weight);
}

// __dp4a multiplies the four bytes of a word by those of another, and adds up. With 128 for one byte and 0
// for the others it is 128 * byte, the place of the sum, in one instruction instead of a shift and a
// mask.
__device__ void add_four(char* mine, std::uint32_t keys, std::uint32_t weights) {
  for (int k = 0; k < 4; ++k) add(mine + __dp4a(keys, kApart << 8 * k, 0U), weights >> 8 * k & 0xff);
}

__device__ void add_sixteen(char* mine, uint4 keys, uint4 weights) {
  add_four(mine, keys.x, weights.x);
  add_four(mine, keys.y, weights.y);
  add_four(mine, keys.z, weights.z);
  add_four(mine, keys.w, weights.w);
}

__device__ void add_all(char* mine, const std::uint8_t* x, const std::uint8_t* w, std::size_t n) {
  const std::size_t thread = blockIdx.x * std::size_t(kBlock) + threadIdx.x,
                    threads = gridDim.x * std::size_t(kBlock);
  // Up to 15 bytes before the first whole group of 16, and up to 15 behind the last.
  const std::size_t before = min(n, (16 - reinterpret_cast<std::size_t>(x) % 16) % 16);
  const std::size_t groups = (n - before) / 16, behind = before + 16 * groups;
  const auto* x16 = reinterpret_cast<const uint4*>(x + before);
  const auto* w16 = reinterpret_cast<const uint4*>(w + before);

  if (thread < before) add(mine + kApart * x[thread], w[thread]);
  if (behind + thread < n) add(mine + kApart * x[behind + thread], w[behind + thread]);
  std::size_t i = thread;
  for (; i + (kLoads - 1) * threads < groups; i += kLoads * threads) {
    uint4 keys[kLoads], weights[kLoads];
    for (int k = 0; k < kLoads; ++k) {
      keys[k] = x16[i + k * threads];
      weights[k] = w16[i + k * threads];
    }
    for (int k = 0; k < kLoads; ++k) add_sixteen(mine, keys[k], weights[k]);
  }
  for (; i < groups; i += threads) add_sixteen(mine, x16[i], w16[i]);
}

__global__ void histogram_kernel(const std::uint8_t* x, const std::uint8_t* w, std::uint32_t* bins,
                                 std::size_t n) {
  __shared__ std::uint32_t copies[kBins][kCopies];
  for (int i = threadIdx.x; i < kBins * kCopies; i += kBlock) copies[i / kCopies][i % kCopies] = 0;
  __syncthreads();
  add_all(reinterpret_cast<char*>(&copies[0][threadIdx.x % kCopies]), x, w, n);
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
  const unsigned blocks = useful == 0 ? 1 : unsigned(useful < resident ? useful : resident);
  cudaMemsetAsync(bins, 0, kBins * sizeof(std::uint32_t), stream);
  histogram_kernel<<<blocks, kBlock, 0, stream>>>(x, w, bins, n);
}
