// expect: excellent
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A step is one graph, instantiated once. When dt changes the chain is captured again and the new graph given
// to the old executable one: fewer lines than the solution, and the way for graphs whose nodes the program
// does not know.

#include <vector>

#include "chain.h"
#include "cuda/check.h"
#include "launch.h"

struct Solver {
  State state;
  float dt;  // what the nodes hold
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  std::vector<cudaGraphNode_t> nodes;
};

Solver* prepare(const State& state, cudaStream_t stream) {
  auto* s = new Solver{state, 0, nullptr, nullptr, std::vector<cudaGraphNode_t>(kChainLength)};
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (ChainKernel kernel : kChain) kernel<<<blocks(state), kBlock, 0, stream>>>(state, s->dt);
  CUDA_CHECK(cudaStreamEndCapture(stream, &s->graph));
  std::size_t count = s->nodes.size();
  CUDA_CHECK(cudaGraphGetNodes(s->graph, s->nodes.data(), &count));
  CUDA_CHECK(cudaGraphInstantiate(&s->exec, s->graph, 0));
  CUDA_CHECK(cudaGraphUpload(s->exec, stream));
  return s;
}

void run(Solver* s, int steps, float dt, cudaStream_t stream) {
  if (dt != s->dt) {
    cudaGraph_t graph = nullptr;
    cudaGraphExecUpdateResultInfo info;
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (ChainKernel kernel : kChain) kernel<<<blocks(s->state), kBlock, 0, stream>>>(s->state, dt);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphExecUpdate(s->exec, graph, &info));
    CUDA_CHECK(cudaGraphDestroy(graph));
    s->dt = dt;
  }
  for (int step = 0; step < steps; ++step) CUDA_CHECK(cudaGraphLaunch(s->exec, stream));
}

void release(Solver* s) {
  CUDA_CHECK(cudaGraphExecDestroy(s->exec));
  CUDA_CHECK(cudaGraphDestroy(s->graph));
  delete s;
}
