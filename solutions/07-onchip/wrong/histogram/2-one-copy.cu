// expect: too-slow
// bench: a copy a block
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 2. Each block counts in its own shared memory, and adds its 256 counters to those in global memory at
// the end. Lanes with equal bytes still take turns: 32 of them where all bytes are the same.

#include "histogram.h"

namespace {

constexpr int kBlock = 256, kBlocks = 1024, kBins = 256;

__global__ void histogram_kernel(const std::uint8_t* x, std::uint32_t* bins, std::size_t n) {
  __shared__ std::uint32_t counters[kBins];
  counters[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = blockIdx.x * std::size_t(kBlock) + threadIdx.x; i < n; i += kBlocks * kBlock)
    atomicAdd(&counters[x[i]], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], counters[threadIdx.x]);
}

}  // namespace

void histogram(const std::uint8_t* x, std::uint32_t* bins, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, kBins * sizeof(std::uint32_t), stream);
  histogram_kernel<<<kBlocks, kBlock, 0, stream>>>(x, bins, n);
}
