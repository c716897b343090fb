// expect: fail wrong-structure; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The legacy default stream: events in the given one, which does not block, do not see it.

#include "pointwise.h"

namespace {

__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  if (n < 100'000)
    axpb<<<blocks, 256, 0, stream>>>(x, y, a, b, n);
  else
    axpb<<<blocks, 256>>>(x, y, a, b, n);
}
