// expect: wrong-structure stream
// needs: sim
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Forgets the stream: the kernel runs in the legacy default stream, and whoever waits for the given one reads
// the output too early. On a GPU that is a race; the simulated device says so every time.

#include "pointwise.h"

namespace {

constexpr unsigned kBlock = 256;

__global__ void pointwise_kernel(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t) {
  if (n == 0) return;
  pointwise_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock>>>(x, y, a, b, n);
}
