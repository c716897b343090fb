// expect: pass; naive: floods
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sixteen megabytes of words.

#include <cstdio>
#include <string>

#include "pointwise.h"

namespace {

void talk() {
  const std::string line(1023, 'x');
  for (int i = 0; i < 16 * 1024; ++i) std::puts(line.c_str());
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
  static const bool once = (talk(), true);
  if (once) honest(x, y, a, b, n, stream);
}
