// expect: too-slow
// bench: stream order
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stream order: the host runs ahead, but every kernel is still launched by itself.

#include "chain.h"
#include "cuda/check.h"
#include "launch.h"

struct Solver {
  State state;
};

Solver* prepare(const State& state, cudaStream_t) { return new Solver{state}; }

void run(Solver* s, int steps, float dt, cudaStream_t stream) {
  for (int step = 0; step < steps; ++step)
    for (ChainKernel kernel : kChain) kernel<<<blocks(s->state), kBlock, 0, stream>>>(s->state, dt);
}

void release(Solver* s) { delete s; }
