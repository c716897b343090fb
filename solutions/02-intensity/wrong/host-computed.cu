// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU does the work: in simulation host time is free, so it has to be forbidden.

#include <cmath>
#include <vector>

#include "intensity.h"

void intensity(const float* x, float* y, int repeat, std::size_t n, cudaStream_t stream) {
  std::vector<float> values(n);
  cudaMemcpyAsync(values.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (float& v : values)
    for (int r = 0; r < repeat; ++r) v = std::fma(-kAlpha, v, kBeta);
  cudaMemcpyAsync(y, values.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
