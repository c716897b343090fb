// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 06, part A: keep a few activations, compute the others again. Read README.md first; ./lab hint 06a
// helps when you are stuck. Check with  ./lab grade 06a

#include <vector>

#include "recompute.h"

using roofline::chain::Chain;

// With everything kept, a step would be
//
//   for (int k = 0; k < chain.layers; ++k) {
//     kept[k + 1] = arena.allocate(n);
//     forward(chain, k, kept[k], kept[k + 1], chain.seed, stream);
//   }
//   for (int k = chain.layers - 1; k >= 0; --k)
//     backward(chain, k, kept[k], kept[k + 1], k == chain.layers - 1 ? chain.dy : gradient, scratch,
//              k == 0 ? chain.dx : gradient, stream);
//
// with kept[0] = chain.x, and gradient and scratch from the arena too. It needs layers + 2 activations.

void train_step(const Chain& chain, Arena& arena, cudaStream_t stream) {
  // TODO 1 (about 12 lines): forward, layer by layer. Keep every s-th activation, s about sqrt(layers);
  // release the others as soon as the next one is computed.

  // TODO 2 (about 18 lines): backward, segment by segment from the last to the first. Compute the activations
  // of the segment again from the kept one that it begins with, go back through it, release them.
}
