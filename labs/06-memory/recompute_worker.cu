// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of part A: makes a chain and an arena of the arguments and calls train_step().

#include "recompute.h"
#include "worker/worker.h"

namespace {

void call(const float* x, const float* weights, const float* dy, float* dx, float* dweights,
          unsigned char* memory, std::uint64_t seed, std::uint32_t threshold, float scale, int layers,
          int batch, int width, std::size_t budget, cudaStream_t stream) {
  Arena arena(memory, budget);
  train_step({layers, batch, width, seed, threshold, scale, x, weights, dy, dx, dweights}, arena, stream);
}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(call, argc, argv); }
