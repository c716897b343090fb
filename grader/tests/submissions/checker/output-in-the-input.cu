// expect: fail input-changed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Takes the input for the output: computes in it, in place, and copies it over. A later call with the same
// input would find yesterday's answer there.

#include "pointwise.h"

namespace {

__global__ void in_place(float* x, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) x[i] = fmaf(a, x[i], b);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  in_place<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(const_cast<float*>(x), a, b, n);
  cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
}
