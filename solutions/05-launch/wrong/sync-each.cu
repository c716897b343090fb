// expect: too-slow
// bench: the host waits for each kernel
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The given version: the host waits for each kernel before it launches the next.

#include "chain.h"
#include "cuda/check.h"
#include "launch.h"

struct Solver {
  State state;
};

Solver* prepare(const State& state, cudaStream_t) { return new Solver{state}; }

void run(Solver* s, int steps, float dt, cudaStream_t stream) {
  for (int step = 0; step < steps; ++step)
    for (ChainKernel kernel : kChain) {
      kernel<<<blocks(s->state), kBlock, 0, stream>>>(s->state, dt);
      CUDA_CHECK(cudaStreamSynchronize(stream));
    }
}

void release(Solver* s) { delete s; }
