// expect: fail host-computed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host computes: on a simulated device its work costs nothing.

#include <cmath>
#include <vector>

#include "pointwise.h"

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  std::vector<float> values(n);
  cudaMemcpyAsync(values.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (float& v : values) v = std::fma(a, v, b);
  cudaMemcpyAsync(y, values.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
