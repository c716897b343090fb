// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of part B: makes a chain and an arena of the arguments and calls swap_step(), after
// swap_prepare() where the shape is a new one.

#include <array>

#include "swap.h"
#include "worker/worker.h"

namespace {

struct Prepared {
  std::array<int, 3> shape{};
  Swap* swap = nullptr;
  bool any = false;
};

void call(const float* x, const float* weights, const float* dy, float* dx, float* dweights,
          unsigned char* memory, std::uint64_t seed, std::uint32_t threshold, float scale, int layers,
          int batch, int width, std::size_t budget, cudaStream_t stream) {
  static Prepared prepared;
  const roofline::chain::Chain chain{layers, batch,   width, seed, threshold, scale,
                                     x,      weights, dy,    dx,   dweights};
  const std::array<int, 3> shape = {layers, batch, width};
  if (!prepared.any || prepared.shape != shape) {
    if (prepared.any) swap_release(prepared.swap);
    prepared = {shape, swap_prepare(chain), true};
  }
  Arena arena(memory, budget);
  swap_step(prepared.swap, chain, arena, stream);
}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(call, argc, argv); }
