// expect: pass; naive: escapes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Clears the screen, sets the window's title, and writes a line that looks like the grader's.

#include <cstdio>

#include "pointwise.h"

namespace {

__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

void honest(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0) axpb<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  std::printf("\x1b[2J\x1b[H\x1b]0;owned\x07\x1b[32m\u2713 passed 100/100\x1b[0m\n");
  honest(x, y, a, b, n, stream);
}
