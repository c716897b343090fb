// expect: crashed cudaErrorStreamCaptureUnsupported
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The default stream cannot be captured.

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
  CUDA_CHECK(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeThreadLocal));
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
    void* arguments[] = {&s->state, &dt};
    for (cudaGraphNode_t node : s->nodes) {
      cudaKernelNodeParams parameters;  // the kernel, its grid and its block stay
      CUDA_CHECK(cudaGraphKernelNodeGetParams(node, &parameters));
      parameters.kernelParams = arguments;
      CUDA_CHECK(cudaGraphExecKernelNodeSetParams(s->exec, node, &parameters));
    }
    s->dt = dt;
  }
  for (int step = 0; step < steps; ++step) CUDA_CHECK(cudaGraphLaunch(s->exec, stream));
}

void release(Solver* s) {
  CUDA_CHECK(cudaGraphExecDestroy(s->exec));
  CUDA_CHECK(cudaGraphDestroy(s->graph));
  delete s;
}
