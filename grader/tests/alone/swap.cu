// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// solution: 06-memory/swap
#include "alone.h"
#include "swap.h"

int main() {
  const alone::Stream stream;
  for (const int layers : {1, 2, 5, 9}) {
    constexpr int kBatch = 64, kWidth = 64;
    constexpr std::size_t kActivation = kBatch * kWidth, kWeights = kWidth * kWidth;
    alone::Array x(kActivation), dy(kActivation), dx(kActivation), weights(layers * kWeights, 0.01f),
        dweights(layers * kWeights);
    alone::Array<char> memory(6 * kActivation * sizeof(float), 0);
    const roofline::chain::Chain chain = {layers,    kBatch,    kWidth,         7,
                                          1u << 30,  1.25f,     x.data(),       weights.data(),
                                          dy.data(), dx.data(), dweights.data()};
    Swap* swap = swap_prepare(chain);
    for (int step = 0; step < 2; ++step) {
      Arena arena(memory.data(), 6 * kActivation * sizeof(float));
      swap_step(swap, chain, arena, stream);
    }
    stream.wait();
    dx.host();
    dweights.host();
    swap_release(swap);
  }
}
