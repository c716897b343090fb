// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 14, part B: a curve, smoothed several times. Check with  ./lab grade 14b
//
// TODO 1 (1 to 8 lines): it compiles, and it is wrong. Find out why, and repair it.

#include "smooth.h"

namespace {

__global__ void smooth_kernel(const float* from, float* to, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float left = from[i == 0 ? 0 : i - 1];
  const float right = from[i == n - 1 ? i : i + 1];
  to[i] = (left + 2 * from[i] + right) / 4;
}

}  // namespace

void smooth(const float* x, float* y, float* scratch, std::size_t n, int steps, cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
  const float* from = x;
  float* to = y;
  for (int step = 0; step < steps; ++step) {
    smooth_kernel<<<blocks, 256, 0, stream>>>(from, to, n);
    from = to;
    to = to == y ? scratch : y;
  }
}
