// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU does the work: in simulation host time is free, so it has to be forbidden.

#include <cmath>
#include <vector>

#include "layer_norm.h"

namespace {

std::vector<half> on_host(const half* device, std::size_t n, cudaStream_t stream) {
  std::vector<half> copy(n);
  cudaMemcpyAsync(copy.data(), device, n * sizeof(half), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return copy;
}

}  // namespace

void layer_norm(const half* x, const half* gamma, const half* beta, half* y, int rows, int columns, float eps,
                cudaStream_t stream) {
  const std::size_t n = std::size_t(rows) * columns;
  std::vector<half> values = on_host(x, n, stream);
  const std::vector<half> scales = on_host(gamma, columns, stream), shifts = on_host(beta, columns, stream);
  for (std::size_t begin = 0; begin < n; begin += columns) {
    half* const row = values.data() + begin;
    double mean = 0, variance = 0;
    for (int c = 0; c < columns; ++c) mean += __half2float(row[c]);
    mean /= columns;
    for (int c = 0; c < columns; ++c) variance += std::pow(__half2float(row[c]) - mean, 2);
    const double deviation = std::sqrt(variance / columns + eps);
    for (int c = 0; c < columns; ++c)
      row[c] = __double2half((__half2float(row[c]) - mean) / deviation * __half2float(scales[c]) +
                             __half2float(shifts[c]));
  }
  cudaMemcpyAsync(y, values.data(), n * sizeof(half), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
