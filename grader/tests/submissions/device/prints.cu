// expect: pass; naive: floods
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels that print: a megabyte with every call.

#include <cstdio>

#include "pointwise.h"

namespace {

__global__ void chatter() {
  std::printf(
      "the quick brown fox jumps over the lazy dog, and the grader keeps every single word of what is said "
      "here\n");
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
  honest(x, y, a, b, n, stream);
  if (n != 0 && n < 5000) chatter<<<64, 64, 0, stream>>>();
}
