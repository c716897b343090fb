// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU does the work: in simulation host time is free, so it has to be forbidden.

#include <vector>

#include "transpose.h"

void transpose(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  const std::size_t n = std::size_t(rows) * columns;
  std::vector<float> from(n), to(n);
  cudaMemcpyAsync(from.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (std::size_t i = 0; i < n; ++i) to[i % columns * rows + i / columns] = from[i];
  cudaMemcpyAsync(y, to.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
