// expect: too-slow
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Each thread takes a contiguous chunk, as a CPU thread would.

#include "pointwise.h"

namespace {

constexpr unsigned kThreads = 256, kBlocks = 864;

__global__ void pointwise_kernel(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t thread = blockIdx.x * std::size_t{kThreads} + threadIdx.x,
                    threads = std::size_t{kThreads} * kBlocks;
  const std::size_t chunk = (n + threads - 1) / threads;
  for (std::size_t i = thread * chunk; i < (thread + 1) * chunk && i < n; ++i) y[i] = fmaf(a, x[i], b);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  pointwise_kernel<<<kBlocks, kThreads, 0, stream>>>(x, y, a, b, n);
}
