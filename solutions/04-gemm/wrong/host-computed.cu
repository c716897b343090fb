// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU multiplies. In simulation its work would cost no time.

#include <vector>

#include "gemm.h"

void gemm(const half* a, const half* b, float* c, int m, int n, int k, cudaStream_t stream) {
  std::vector<half> left(std::size_t(m) * k), right(std::size_t(k) * n);
  std::vector<float> sums(std::size_t(m) * n), line(right.size());
  cudaMemcpyAsync(left.data(), a, left.size() * sizeof(half), cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(right.data(), b, right.size() * sizeof(half), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (std::size_t i = 0; i < right.size(); ++i) line[i] = __half2float(right[i]);
  for (int i = 0; i < m; ++i)
    for (int l = 0; l < k; ++l) {
      const float factor = __half2float(left[std::size_t(i) * k + l]);
      for (int j = 0; j < n; ++j) sums[std::size_t(i) * n + j] += factor * line[std::size_t(l) * n + j];
    }
  cudaMemcpyAsync(c, sums.data(), sums.size() * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
