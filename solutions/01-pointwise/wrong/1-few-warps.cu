// expect: too-slow
// bench: too few bytes in flight
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// One element at a time, neighbouring threads on neighbouring elements: coalesced. One warp a block and 16
// blocks an SM: too few bytes in flight to cover the latency of DRAM.

#include "pointwise.h"

namespace {

__global__ void pointwise_kernel(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride)
    y[i] = fmaf(a, x[i], b);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  pointwise_kernel<<<108 * 16, 32, 0, stream>>>(x, y, a, b, n);
}
