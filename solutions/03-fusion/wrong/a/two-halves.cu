// expect: wrong-structure kernels
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Right and fast, but in two launches, one for each half: a launch too many.

#include "cosine.h"

namespace {

constexpr unsigned kBlock = 256;

__global__ void cosine_kernel(const float* x, float* y, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i < n) y[i] = cosf(cosf(x[i]));
}

}  // namespace

void cosine_twice(const float* x, float* y, std::size_t n, cudaStream_t stream) {
  const std::size_t half = n / 2, rest = n - half;
  if (half > 0)
    cosine_kernel<<<static_cast<unsigned>((half + kBlock - 1) / kBlock), kBlock, 0, stream>>>(x, y, half);
  if (rest > 0)
    cosine_kernel<<<static_cast<unsigned>((rest + kBlock - 1) / kBlock), kBlock, 0, stream>>>(x + half,
                                                                                              y + half, rest);
}
