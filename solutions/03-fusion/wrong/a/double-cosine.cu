// expect: too-slow
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// cos of double: right, and the FP64 units are the limit.

#include "cosine.h"

namespace {

constexpr unsigned kBlock = 256;

__global__ void cosine_kernel(const float* x, float* y, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i < n) y[i] = static_cast<float>(cos(cos(static_cast<double>(x[i]))));
}

}  // namespace

void cosine_twice(const float* x, float* y, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  cosine_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock, 0, stream>>>(x, y, n);
}
