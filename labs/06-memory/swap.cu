// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 06, part B: activations go to host memory and come back, while kernels run. Check with
// ./lab grade 06b; ./lab hint 06b helps when you are stuck.

#include <vector>

#include "swap.h"

using roofline::chain::Chain;

// TODO 1 (about 10 lines): what a step needs: pinned host memory, a stream for the copies in either
// direction, events.
struct Swap {};

Swap* swap_prepare(const Chain& chain) {
  // TODO 2 (about 10 lines): make them. cudaStreamNonBlocking, cudaEventDisableTiming.
  return nullptr;
}

void swap_step(Swap* swap, const Chain& chain, Arena& arena, cudaStream_t stream) {
  // TODO 3 (about 15 lines): forward. When a layer has computed its output, copy it to the host in the stream
  // for that. Before its memory is used for something else, `stream` waits for the copy.

  // TODO 4 (about 20 lines): backward. Copy back what the layers below will need, into memory that is free
  // again, a layer or more ahead; `stream` waits for each copy before a kernel reads it.
}

void swap_release(Swap* swap) {
  // TODO 5 (about 6 lines): the reverse of swap_prepare.
}
