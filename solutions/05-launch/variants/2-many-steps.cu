// expect: excellent
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Beyond the solution, whose nodes take the new dt: one graph holds four steps, a launch by the host for 80
// kernels. What four does not divide runs one by one.

#include <vector>

#include "chain.h"
#include "cuda/check.h"
#include "launch.h"

/// Some steps in a straight line.
struct Graph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  std::vector<cudaGraphNode_t> nodes;
};

struct Solver {
  State state;
  float dt;  // what the nodes hold
  Graph one, four;
};

namespace {

Graph instantiate(const State& state, int steps, cudaStream_t stream) {
  Graph g;
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int step = 0; step < steps; ++step)
    for (ChainKernel kernel : kChain) kernel<<<blocks(state), kBlock, 0, stream>>>(state, 0);
  CUDA_CHECK(cudaStreamEndCapture(stream, &g.graph));
  g.nodes.resize(static_cast<std::size_t>(steps) * kChainLength);
  std::size_t count = g.nodes.size();
  CUDA_CHECK(cudaGraphGetNodes(g.graph, g.nodes.data(), &count));
  CUDA_CHECK(cudaGraphInstantiate(&g.exec, g.graph, 0));
  CUDA_CHECK(cudaGraphUpload(g.exec, stream));
  return g;
}

void update(const Graph& g, State state, float dt) {
  void* arguments[] = {&state, &dt};
  for (cudaGraphNode_t node : g.nodes) {
    cudaKernelNodeParams parameters;
    CUDA_CHECK(cudaGraphKernelNodeGetParams(node, &parameters));
    parameters.kernelParams = arguments;
    CUDA_CHECK(cudaGraphExecKernelNodeSetParams(g.exec, node, &parameters));
  }
}

void destroy(const Graph& g) {
  CUDA_CHECK(cudaGraphExecDestroy(g.exec));
  CUDA_CHECK(cudaGraphDestroy(g.graph));
}

}  // namespace

Solver* prepare(const State& state, cudaStream_t stream) {
  return new Solver{state, 0, instantiate(state, 1, stream), instantiate(state, 4, stream)};
}

void run(Solver* s, int steps, float dt, cudaStream_t stream) {
  if (dt != s->dt) {
    update(s->one, s->state, dt);
    update(s->four, s->state, dt);
    s->dt = dt;
  }
  for (; steps >= 4; steps -= 4) CUDA_CHECK(cudaGraphLaunch(s->four.exec, stream));
  for (; steps > 0; --steps) CUDA_CHECK(cudaGraphLaunch(s->one.exec, stream));
}

void release(Solver* s) {
  destroy(s->one);
  destroy(s->four);
  delete s;
}
