// expect: too-slow
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Neighbouring threads work on elements 128 bytes apart: a warp touches 32 sectors where 4 would do.

#include "pointwise.h"

namespace {

constexpr unsigned kBlock = 256;

// A warp works on a tile of 32 x 32 elements, lane by row: in step c lane r takes element (r, c).
__global__ void pointwise_kernel(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t warp = (blockIdx.x * std::size_t{kBlock} + threadIdx.x) / 32;
  const std::size_t first = warp * 1024 + (threadIdx.x % 32) * 32;
  for (std::size_t c = 0; c < 32; ++c)
    if (first + c < n) y[first + c] = fmaf(a, x[first + c], b);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t warps = (n + 1023) / 1024, per_block = kBlock / 32;
  pointwise_kernel<<<static_cast<unsigned>((warps + per_block - 1) / per_block), kBlock, 0, stream>>>(x, y, a,
                                                                                                      b, n);
}
