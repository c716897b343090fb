// expect: too-slow
// bench: a kernel for each cosine
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Unfused: the value between the cosines goes to memory and comes back.

#include "cosine.h"

namespace {

constexpr unsigned kBlock = 256;

__global__ void cosine_kernel(const float* x, float* y, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i < n) y[i] = cosf(x[i]);
}

}  // namespace

void cosine_twice(const float* x, float* y, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);
  cosine_kernel<<<blocks, kBlock, 0, stream>>>(x, y, n);
  cosine_kernel<<<blocks, kBlock, 0, stream>>>(y, y, n);
}
