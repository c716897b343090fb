// expect: too-slow
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU counts. Only 256 numbers come back, but all of x goes over the link, a fiftieth of the bandwidth of
// DRAM.

#include <vector>

#include "histogram.h"

namespace {

struct Counts {
  std::uint32_t of[256];
};

__global__ void answer(std::uint32_t* bins, Counts counts) { bins[threadIdx.x] = counts.of[threadIdx.x]; }

}  // namespace

void histogram(const std::uint8_t* x, std::uint32_t* bins, std::size_t n, cudaStream_t stream) {
  std::vector<std::uint8_t> copy(n);
  cudaMemcpyAsync(copy.data(), x, n, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  Counts counts{};
  for (const std::uint8_t byte : copy) ++counts.of[byte];
  answer<<<1, 256, 0, stream>>>(bins, counts);
}
