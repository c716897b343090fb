// expect: too-slow
// bench: an atomic a byte
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 1. Every thread adds its bytes to the counters in global memory. L2 does the atomics, and those on one
// counter one after the other: where all bytes are the same, the whole device waits in one queue.

#include "histogram.h"

namespace {

constexpr int kBlock = 256, kBlocks = 1024;

__global__ void histogram_kernel(const std::uint8_t* x, std::uint32_t* bins, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t(kBlock) + threadIdx.x; i < n; i += kBlocks * kBlock)
    atomicAdd(&bins[x[i]], 1);
}

}  // namespace

void histogram(const std::uint8_t* x, std::uint32_t* bins, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, 256 * sizeof(std::uint32_t), stream);
  histogram_kernel<<<kBlocks, kBlock, 0, stream>>>(x, bins, n);
}
