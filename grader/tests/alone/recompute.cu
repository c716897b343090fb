// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// solution: 06-memory/recompute
#include "alone.h"
#include "recompute.h"

int main() {
  const alone::Stream stream;
  for (const int layers : {1, 2, 5, 9}) {
    constexpr int kBatch = 64, kWidth = 64;
    constexpr std::size_t kActivation = kBatch * kWidth, kWeights = kWidth * kWidth;
    alone::Array x(kActivation), dy(kActivation), dx(kActivation), weights(layers * kWeights, 0.01f),
        dweights(layers * kWeights);
    // A little more than 2 sqrt(layers) activations and two gradients.
    alone::Array<char> memory(12 * kActivation * sizeof(float), 0);
    Arena arena(memory.data(), 12 * kActivation * sizeof(float));
    train_step({layers, kBatch, kWidth, 7, 1u << 30, 1.25f, x.data(), weights.data(), dy.data(), dx.data(),
                dweights.data()},
               arena, stream);
    stream.wait();
    dx.host();
    dweights.host();
  }
}
