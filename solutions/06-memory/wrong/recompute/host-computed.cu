// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Host memory holds every activation, and the host computes with them.
#include <cmath>
#include <vector>

#include "recompute.h"

using roofline::chain::Chain;

namespace {

using Matrix = std::vector<float>;

Matrix to_host(const float* device, std::size_t n) {
  Matrix host(n);
  cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost);
  return host;
}

/// c = a * b in ascending order, for any layout of the two.
template <class A, class B>
void multiply(int rows, int columns, int depth, const A& a, const B& b, float* c) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      float sum = 0;
      for (int k = 0; k < depth; ++k) sum = std::fma(a(i, k), b(k, j), sum);
      c[i * columns + j] = sum;
    }
}

}  // namespace

void train_step(const Chain& chain, Arena&, cudaStream_t) {
  const int batch = chain.batch, width = chain.width;
  const std::size_t n = chain.activation_elements(), m = chain.weight_elements();
  std::vector<Matrix> kept = {to_host(chain.x, n)};
  const Matrix weights = to_host(chain.weights, chain.layers * m);
  for (int layer = 0; layer < chain.layers; ++layer) {
    const Matrix& in = kept.back();
    const float* w = &weights[layer * m];
    Matrix out(n);
    multiply(
        batch, width, width, [&](int i, int k) { return in[i * width + k]; },
        [&](int k, int j) { return w[k * width + j]; }, out.data());
    for (std::size_t i = 0; i < n; ++i) {
      const bool stays = roofline::philox(chain.seed + layer, i / 4).word[i % 4] >= chain.threshold;
      out[i] = out[i] > 0 && stays ? out[i] * chain.scale : 0.0F;
    }
    kept.push_back(out);
  }
  Matrix gradient = to_host(chain.dy, n), dw(m), dz(n);
  for (int layer = chain.layers - 1; layer >= 0; --layer) {
    const Matrix &in = kept[layer], &out = kept[layer + 1];
    const float* w = &weights[layer * m];
    for (std::size_t i = 0; i < n; ++i) dz[i] = out[i] > 0 ? gradient[i] * chain.scale : 0.0F;
    multiply(
        width, width, batch, [&](int i, int k) { return in[k * width + i]; },
        [&](int k, int j) { return dz[k * width + j]; }, dw.data());
    multiply(
        batch, width, width, [&](int i, int k) { return dz[i * width + k]; },
        [&](int k, int j) { return w[j * width + k]; }, gradient.data());
    cudaMemcpy(chain.dweights + layer * m, dw.data(), m * sizeof(float), cudaMemcpyHostToDevice);
  }
  cudaMemcpy(chain.dx, gradient.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
