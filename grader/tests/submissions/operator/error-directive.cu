// expect: fail does-not-compile; naive: escapes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A message of the compiler that holds escape codes.

#include "pointwise.h"

namespace {

__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

void honest(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0) axpb<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}

#pragma message("[2J[32m passed 100/100 [0m")
#error "[2J[32m passed 100/100 [0m"

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  honest(x, y, a, b, n, stream);
}
