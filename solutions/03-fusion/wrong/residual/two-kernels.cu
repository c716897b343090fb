// expect: too-slow
// bench: two kernels
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Bias and gelu in one kernel, dropout and residual in another: five passes instead of three.

#include "residual.h"

namespace {

constexpr unsigned kBlock = 256;

__global__ void activate(const float* x, const float* bias, float* y, float* copy, const float* residual,
                         std::size_t n, std::size_t columns) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i < n) copy[i] = residual[i];
  if (i < n) y[i] = gelu(x[i] + bias[i % columns]);
}

__global__ void drop_and_add(const float* residual, float* y, std::uint64_t seed, std::uint32_t threshold,
                             float scale, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i < n) y[i] = residual[i] + (keep(i, seed, threshold) ? scale * y[i] : 0.0F);
}

}  // namespace

void residual_block(const float* x, const float* bias, const float* residual, float* y, std::uint64_t seed,
                    std::uint32_t threshold, float scale, std::size_t rows, std::size_t columns,
                    cudaStream_t stream) {
  const std::size_t n = rows * columns;
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);
  float* copy = nullptr;  // y may be residual
  cudaMallocAsync(&copy, n * sizeof(float), stream);
  activate<<<blocks, kBlock, 0, stream>>>(x, bias, y, copy, residual, n, columns);
  drop_and_add<<<blocks, kBlock, 0, stream>>>(copy, y, seed, threshold, scale, n);
  cudaFreeAsync(copy, stream);
}
