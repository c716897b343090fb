// expect: too-slow
// bench: a copy a block
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 2. Each block adds up in its own shared memory, and brings its 256 sums to global memory at the end.
// Lanes with equal keys still take turns: 32 of them where all keys are the same.

#include "histogram.h"

namespace {

constexpr int kBlock = 256, kBlocks = 1024, kBins = 256;

__global__ void histogram_kernel(const std::uint8_t* x, const std::uint8_t* w, std::uint32_t* bins,
                                 std::size_t n) {
  __shared__ std::uint32_t sums[kBins];
  sums[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = blockIdx.x * std::size_t(kBlock) + threadIdx.x; i < n; i += kBlocks * kBlock)
    atomicAdd(&sums[x[i]], w[i]);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], sums[threadIdx.x]);
}

}  // namespace

void histogram(const std::uint8_t* x, const std::uint8_t* w, std::uint32_t* bins, std::size_t n,
               cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, kBins * sizeof(std::uint32_t), stream);
  histogram_kernel<<<kBlocks, kBlock, 0, stream>>>(x, w, bins, n);
}
