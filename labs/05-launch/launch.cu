// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 05: replay a chain of small kernels. Check with  ./lab grade 05

#include "chain.h"
#include "cuda/check.h"
#include "launch.h"

// The given version waits after each launch. It is right, and 2.5 times too slow:
//
//     for (int step = 0; step < steps; ++step)
//       for (ChainKernel kernel : kChain) {
//         kernel<<<blocks(state), kBlock, 0, stream>>>(state, dt);
//         CUDA_CHECK(cudaStreamSynchronize(stream));
//       }

struct Solver {
  State state;
  // TODO 1 (about 4 lines): the executable graph, and what you need to update it.
};

Solver* prepare(const State& state, cudaStream_t stream) {
  // TODO 2 (about 12 lines): capture the chain into a graph, instantiate it, upload it. What can dt be here?
  return nullptr;
}

void run(Solver* solver, int steps, float dt, cudaStream_t stream) {
  // TODO 3 (about 12 lines): bring dt into the graph, then launch it for each step.
}

void release(Solver* solver) {
  // TODO 4 (about 4 lines)
}
