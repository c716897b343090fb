// expect: too-slow
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// One warp of the eighth block moves every element; the others are there to be looked at. A clock that reads
// only some blocks would see nothing of it.

#include "pointwise.h"

namespace {

constexpr unsigned kBlock = 256, kWorker = 7;

__global__ void one_warp(const float* x, float* y, float a, float b, std::size_t n) {
  if (blockIdx.x + 1 != gridDim.x && blockIdx.x != kWorker) return;
  // Short arrays have fewer blocks than that.
  if (blockIdx.x != (gridDim.x > kWorker ? kWorker : gridDim.x - 1) || threadIdx.x >= 32) return;
#pragma unroll 16
  for (std::size_t i = threadIdx.x; i < n; i += 32) y[i] = fmaf(a, x[i], b);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  one_warp<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock, 0, stream>>>(x, y, a, b, n);
}
