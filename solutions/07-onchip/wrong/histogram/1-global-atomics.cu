// expect: too-slow
// bench: an atomic an element
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 1. Every thread adds its weights to the bins in global memory. L2 does the atomics, and those on one
// bin one after the other: where all keys are the same, the whole device waits in one queue.

#include "histogram.h"

namespace {

constexpr int kBlock = 256, kBlocks = 1024;

__global__ void histogram_kernel(const std::uint8_t* x, const std::uint8_t* w, std::uint32_t* bins,
                                 std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t(kBlock) + threadIdx.x; i < n; i += kBlocks * kBlock)
    atomicAdd(&bins[x[i]], w[i]);
}

}  // namespace

void histogram(const std::uint8_t* x, const std::uint8_t* w, std::uint32_t* bins, std::size_t n,
               cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, 256 * sizeof(std::uint32_t), stream);
  histogram_kernel<<<kBlocks, kBlock, 0, stream>>>(x, w, bins, n);
}
