// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU does the work: in simulation host time is free, so it has to be forbidden.

#include <vector>

#include "gemm_e4m3.h"

namespace {

template <class T>
std::vector<T> from_device(const T* from, std::size_t n, cudaStream_t stream) {
  std::vector<T> to(n);
  cudaMemcpyAsync(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return to;
}

}  // namespace

void gemm_e4m3(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, const float* scale_a, const float* scale_b,
               half* c, int m, int n, int k, cudaStream_t stream) {
  const auto left = from_device(a, std::size_t(m) * k, stream),
             right = from_device(b, std::size_t(n) * k, stream);
  const auto rows = from_device(scale_a, m, stream), columns = from_device(scale_b, n, stream);
  std::vector<half> result(std::size_t(m) * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int x = 0; x < k; ++x)
        sum += float(left[std::size_t(i) * k + x]) * float(right[std::size_t(j) * k + x]);
      result[std::size_t(i) * n + j] = __float2half(sum * rows[i] * columns[j]);
    }
  cudaMemcpyAsync(c, result.data(), result.size() * sizeof(half), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
