// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The rungs of a published ladder of matrix products, in float and half, by their published names.
// `products ROWS COLUMNS DEPTH,DEPTH... f32/03 f16/07v ...` runs each for every depth, and makes ROWS of a
// product of kAllRows.
// needs: compute_80
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "product_ladder.h"

constexpr size_t kAllRows = 4096;

/// Factors of small numbers; some elements of the result are computed again here.
template <class T>
void measured(const std::string& rung, size_t made, size_t n, size_t k) {
  std::vector<T> a(kAllRows * k), b(k * n), c(made * n, T(1.0f));
  for (size_t i = 0; i < a.size(); ++i) a[i] = T(float(int(i % 3) - 1));
  for (size_t i = 0; i < b.size(); ++i) b[i] = T(float(int(i % 5) - 2));
  Matrices<T> all{kAllRows, n, k, T(1.0f), T(2.0f), nullptr, nullptr, nullptr, made};
  T *d_a, *d_b;
  OK(cudaMalloc(&d_a, a.size() * sizeof(T)));
  OK(cudaMalloc(&d_b, b.size() * sizeof(T)));
  OK(cudaMalloc(&all.c, c.size() * sizeof(T)));
  OK(cudaMemcpy(d_a, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_b, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(all.c, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice));
  all.a = d_a, all.b = d_b;
  run(rung, all);
  OK(cudaMemcpy(c.data(), all.c, c.size() * sizeof(T), cudaMemcpyDeviceToHost));
  for (size_t row = 0; row < made; row += 97)
    for (size_t column = 0; column < n; column += 89) {
      float sum = 2;
      for (size_t i = 0; i < k; ++i) sum += float(a[row * k + i]) * float(b[i * n + column]);
      EXPECT(float(c[row * n + column]) == sum);
    }
  OK(cudaFree(d_a));
  OK(cudaFree(d_b));
  OK(cudaFree(all.c));
}

int main(int, char** argv) {
  const size_t made = std::strtoull(argv[1], nullptr, 10), n = std::strtoull(argv[2], nullptr, 10);
  for (char** rung = argv + 4; *rung; ++rung)
    for (char* at = argv[3]; *at; at += *at == ',') {
      const size_t k = std::strtoull(at, &at, 10);
      if (std::strncmp(*rung, "f16/", 4) == 0)
        measured<half>(*rung + 4, made, n, k);
      else
        measured<float>(*rung + 4, made, n, k);
    }
}
