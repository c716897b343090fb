// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU does the work: in simulation host time is free, so it has to be forbidden.

#include <algorithm>
#include <cmath>
#include <vector>

#include "decode_int8.h"

namespace {

template <class T>
std::vector<T> fetched(const T* from, std::size_t elements, cudaStream_t stream) {
  std::vector<T> to(elements);
  cudaMemcpyAsync(to.data(), from, elements * sizeof(T), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return to;
}

}  // namespace

void decode_int8(const half* q, const std::int8_t* k, const half* k_scales, const std::int8_t* v,
                 const half* v_scales, half* out, int heads, int kv_heads, int n, float*,
                 cudaStream_t stream) {
  const std::size_t tokens = std::size_t(kv_heads) * n;
  const auto queries = fetched(q, std::size_t(heads) * kDim, stream);
  const auto keys = fetched(k, tokens * kDim, stream), values = fetched(v, tokens * kDim, stream);
  const auto key_scales = fetched(k_scales, tokens, stream), value_scales = fetched(v_scales, tokens, stream);
  std::vector<half> results(queries.size());
  std::vector<double> scores(n);
  for (int h = 0; h < heads; ++h) {
    const std::size_t cache = h / (heads / kv_heads) * std::size_t(n);
    for (int i = 0; i < n; ++i) {
      scores[i] = 0;
      for (int j = 0; j < kDim; ++j)
        scores[i] += double{__half2float(queries[h * kDim + j])} * keys[(cache + i) * kDim + j];
      scores[i] *= __half2float(key_scales[cache + i]) / std::sqrt(double{kDim});
    }
    const double most = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - most);
    for (int j = 0; j < kDim; ++j) {
      double result = 0;
      for (int i = 0; i < n; ++i)
        result += scores[i] * __half2float(value_scales[cache + i]) * values[(cache + i) * kDim + j];
      results[h * kDim + j] = __double2half(result / sum);
    }
  }
  cudaMemcpyAsync(out, results.data(), results.size() * sizeof(half), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
