// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Right for every size that 256 divides, and no other was tried.

#include "pointwise.h"

namespace {

__global__ void axpb(const float* x, float* y, float a, float b) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  y[i] = fmaf(a, x[i], b);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>(n < 256 ? 1 : n / 256);
  axpb<<<blocks, static_cast<unsigned>(n < 256 ? n : 256), 0, stream>>>(x, y, a, b);
}
