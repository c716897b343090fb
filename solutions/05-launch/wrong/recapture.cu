// expect: too-slow
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Captures and instantiates for every step, and waits before it destroys.

#include "chain.h"
#include "cuda/check.h"
#include "launch.h"

struct Solver {
  State state;
};

Solver* prepare(const State& state, cudaStream_t) { return new Solver{state}; }

void run(Solver* s, int steps, float dt, cudaStream_t stream) {
  for (int step = 0; step < steps; ++step) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (ChainKernel kernel : kChain) kernel<<<blocks(s->state), kBlock, 0, stream>>>(s->state, dt);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CUDA_CHECK(cudaGraphLaunch(exec, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
  }
}

void release(Solver* s) { delete s; }
