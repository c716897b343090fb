// expect: race
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two threads update the same element without an order between them.

#include "pointwise.h"

namespace {

// Thread i writes a*x of its element and adds b to its right neighbour's, which may not be written yet.
__global__ void pointwise_kernel(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  y[i] = a * x[i] + (i == 0 ? b : 0.0f);
  if (i + 1 < n) static_cast<volatile float*>(y)[i + 1] += b;
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  pointwise_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}
