// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 14, part C: a sound with its echo. What was wrong is said where it was.
// Check with  ./lab grade 14c

#include "echo.h"

namespace {

__global__ void add_echo(const float* x, float* y, std::size_t n, std::size_t lag, float strength) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n || i < lag) return;
  y[i] += strength * x[i - lag];
}

}  // namespace

void echo(const float* x, float* y, std::size_t n, std::size_t lag, float strength, cudaStream_t stream) {
  if (n == 0) return;
  // Copies count bytes.
  cudaMemcpyAsync(y, x, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
  const unsigned blocks = static_cast<unsigned>((n + 255) / 256);
  add_echo<<<blocks, 256, 0, stream>>>(x, y, n, lag, strength);
}
