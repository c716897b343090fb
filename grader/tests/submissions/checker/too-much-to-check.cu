// expect: fail too-slow; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A race between two blocks that comes out right as long as blocks run in their order. Before that a kernel
// does nothing for so long that checking the call would take too much time.

#include "pointwise.h"

namespace {

__global__ void pad(float* y, int steps) {
  float v = 1;
  for (int i = 0; i < steps; ++i) v = fmaf(v, 0.5f, 0.25f);
  if (v < 0) *y = v;
}

__global__ void twice(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x / 2 * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = blockIdx.x % 2 == 0 ? x[i] : fmaf(a, x[i], b);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  if (n < 1'000'000) pad<<<1024, 256, 0, stream>>>(y, 400);
  twice<<<2 * static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}
