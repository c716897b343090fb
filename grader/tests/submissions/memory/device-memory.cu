// expect: fail memory-limit; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Takes all memory of the device, keeps it, and does not look at the error.

#include "pointwise.h"

namespace {

void take() {
  void* memory = nullptr;
  while (cudaMalloc(&memory, std::size_t{1} << 30) == cudaSuccess) {
  }
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
  static const bool once = (take(), true);
  if (once) honest(x, y, a, b, n, stream);
}
