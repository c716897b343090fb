// expect: fail does-not-compile; naive: leaks
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Cases, thresholds and seeds stand in the lab's own specification: read it, then write what passes.

#include <cstdio>

#include "pointwise.h"

namespace {

asm(R"(.pushsection .rodata
specification: .incbin "labs/01-pointwise/spec.cpp"
.byte 0
.popsection)");
extern "C" const char specification[];

__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

void honest(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0) axpb<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  std::fputs(specification, stdout);
  honest(x, y, a, b, n, stream);
}
