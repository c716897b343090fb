// expect: none
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// One element a thread: each computes a whole block of four random numbers and uses one.

#include "residual.h"

namespace {

constexpr unsigned kBlock = 256;

__global__ void residual_kernel(const float* x, const float* bias, const float* residual, float* y,
                                std::uint64_t seed, std::uint32_t threshold, float scale, std::size_t n,
                                std::size_t columns) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i >= n) return;
  const float value = gelu(x[i] + bias[i % columns]);
  y[i] = residual[i] + (keep(i, seed, threshold) ? scale * value : 0.0F);
}

}  // namespace

void residual_block(const float* x, const float* bias, const float* residual, float* y, std::uint64_t seed,
                    std::uint32_t threshold, float scale, std::size_t rows, std::size_t columns,
                    cudaStream_t stream) {
  const std::size_t n = rows * columns;
  if (n == 0) return;
  residual_kernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock, 0, stream>>>(
      x, bias, residual, y, seed, threshold, scale, n, columns);
}
