// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU does the work: in simulation host time is free, so it has to be forbidden.

#include <algorithm>
#include <cmath>
#include <vector>

#include "attention.h"

void attention(const half* q, const half* k, const half* v, half* o, int heads, int n, bool causal,
               cudaStream_t stream) {
  const std::size_t count = std::size_t(heads) * n * kHeadSize, bytes = count * sizeof(half);
  std::vector<half> halves(count);
  std::vector<float> in[3];
  const half* from[3] = {q, k, v};
  for (int which = 0; which < 3; ++which) {
    cudaMemcpyAsync(halves.data(), from[which], bytes, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    for (const half each : halves) in[which].push_back(__half2float(each));
  }
  std::vector<float> p(n);
  for (std::size_t row = 0; row < std::size_t(heads) * n; ++row) {
    const std::size_t first = row / n * n, seen = causal ? row % n + 1 : n;
    float most = -INFINITY, sum = 0, sums[kHeadSize] = {};
    for (std::size_t j = 0; j < seen; ++j) {
      p[j] = 0;
      for (int c = 0; c < kHeadSize; ++c)
        p[j] += in[0][row * kHeadSize + c] * in[1][(first + j) * kHeadSize + c] / 8;
      most = std::max(most, p[j]);
    }
    for (std::size_t j = 0; j < seen; ++j) {
      p[j] = std::exp(p[j] - most);
      sum += p[j];
      for (int c = 0; c < kHeadSize; ++c) sums[c] += p[j] * in[2][(first + j) * kHeadSize + c];
    }
    for (int c = 0; c < kHeadSize; ++c) halves[row * kHeadSize + c] = __float2half(sums[c] / sum);
  }
  cudaMemcpyAsync(o, halves.data(), bytes, cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
