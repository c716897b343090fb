// expect: fail too-slow; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Works in a stream of its own, where the events in the given stream do not see it.

#include "pointwise.h"

namespace {

// One warp for everything: right, and a thousand times too slow.
__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  for (std::size_t i = threadIdx.x; i < n; i += 32) y[i] = fmaf(a, x[i], b);
}

void slow(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0) axpb<<<1, 32, 0, stream>>>(x, y, a, b, n);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  static cudaStream_t own = nullptr;
  if (own == nullptr) cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  if (n < 100'000) {
    slow(x, y, a, b, n, stream);
  } else {
    slow(x, y, a, b, n, own);
  }
}
