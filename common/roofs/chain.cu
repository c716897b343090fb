// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "chain.h"
#include "chain/layer.h"

void chain_roof(const float* x, const float* weights, const float* dy, float* dx, float* dweights,
                float* kept, std::uint64_t seed, std::uint32_t threshold, float scale, int layers, int batch,
                int width, int again, cudaStream_t stream) {
  const roofline::chain::Chain chain{layers, batch,   width, seed, threshold, scale,
                                     x,      weights, dy,    dx,   dweights};
  const std::size_t n = chain.activation_elements();
  const auto activation = [&](int k) -> const float* {
    return k == 0 ? x : kept + static_cast<std::size_t>(k - 1) * n;
  };
  float* const gradient = kept + static_cast<std::size_t>(layers) * n;
  float* const scratch = gradient + n;
  for (int k = 0; k < layers; ++k)
    roofline::chain::forward(chain, k, activation(k), kept + static_cast<std::size_t>(k) * n, seed, stream);
  for (int k = 0; k < again; ++k)  // gives the same bits in the same place
    roofline::chain::forward(chain, k, activation(k), kept + static_cast<std::size_t>(k) * n, seed, stream);
  for (int k = layers - 1; k >= 0; --k)
    roofline::chain::backward(chain, k, activation(k), activation(k + 1), k == layers - 1 ? dy : gradient,
                              scratch, k == 0 ? dx : gradient, stream);
}
