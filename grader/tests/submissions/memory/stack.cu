// expect: fail crashed; naive: dies
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls itself until the stack ends.

#include "pointwise.h"

namespace {

volatile unsigned depth = 0;
unsigned deeper(unsigned k) {
  volatile char room[4096];
  room[0] = static_cast<char>(k);
  depth = k;
  return depth == 0 ? 0 : deeper(depth + 1) + static_cast<unsigned>(room[0]);
}

__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

void honest(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0) axpb<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0 && deeper(1) == 0) return;
  honest(x, y, a, b, n, stream);
}
