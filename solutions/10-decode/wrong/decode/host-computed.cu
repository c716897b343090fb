// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU does the work: in simulation host time is free, so it has to be forbidden.

#include <algorithm>
#include <cmath>
#include <vector>

#include "decode.h"

namespace {

std::vector<half> fetched(const half* from, std::size_t elements, cudaStream_t stream) {
  std::vector<half> to(elements);
  cudaMemcpyAsync(to.data(), from, elements * sizeof(half), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return to;
}

}  // namespace

void decode(const half* q, const half* k, const half* v, half* out, int heads, int kv_heads, int n, float*,
            cudaStream_t stream) {
  const std::size_t of_cache = std::size_t(n) * kDim;
  const auto queries = fetched(q, std::size_t(heads) * kDim, stream),
             keys = fetched(k, kv_heads * of_cache, stream), values = fetched(v, kv_heads * of_cache, stream);
  std::vector<half> results(queries.size());
  std::vector<double> scores(n);
  for (int h = 0; h < heads; ++h) {
    const std::size_t cache = h / (heads / kv_heads) * of_cache;
    for (int i = 0; i < n; ++i) {
      scores[i] = 0;
      for (int j = 0; j < kDim; ++j)
        scores[i] += double{__half2float(queries[h * kDim + j])} * __half2float(keys[cache + i * kDim + j]);
      scores[i] /= std::sqrt(double{kDim});
    }
    const double most = *std::max_element(scores.begin(), scores.end());
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score - most);
    for (int j = 0; j < kDim; ++j) {
      double result = 0;
      for (int i = 0; i < n; ++i) result += scores[i] * __half2float(values[cache + i * kDim + j]);
      results[h * kDim + j] = __double2half(result / sum);
    }
  }
  cudaMemcpyAsync(out, results.data(), results.size() * sizeof(half), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
