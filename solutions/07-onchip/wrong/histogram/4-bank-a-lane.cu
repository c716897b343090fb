// expect: too-slow
// bench: a copy a lane
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 4. A copy of the sums for each lane, and copy k in bank k: lanes meet neither in a sum nor in
// a bank, so random and equal keys take the same time. But with a byte a load few bytes are on their way.

#include "histogram.h"

namespace {

constexpr int kBlock = 512, kBlocks = 512, kBins = 256, kCopies = 32;

__global__ void histogram_kernel(const std::uint8_t* x, const std::uint8_t* w, std::uint32_t* bins,
                                 std::size_t n) {
  __shared__ std::uint32_t copies[kBins][kCopies];
  for (int i = threadIdx.x; i < kBins * kCopies; i += kBlock) copies[i / kCopies][i % kCopies] = 0;
  __syncthreads();
  for (std::size_t i = blockIdx.x * std::size_t(kBlock) + threadIdx.x; i < n; i += kBlocks * kBlock)
    atomicAdd(&copies[x[i]][threadIdx.x % kCopies], w[i]);
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += kBlock) {
    std::uint32_t sum = 0;
    // Each lane begins with another copy: all would begin in the same bank.
    for (int k = 0; k < kCopies; ++k) sum += copies[bin][(bin + k) % kCopies];
    atomicAdd(&bins[bin], sum);
  }
}

}  // namespace

void histogram(const std::uint8_t* x, const std::uint8_t* w, std::uint32_t* bins, std::size_t n,
               cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, kBins * sizeof(std::uint32_t), stream);
  histogram_kernel<<<kBlocks, kBlock, 0, stream>>>(x, w, bins, n);
}
