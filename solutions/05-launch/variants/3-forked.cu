// expect: excellent
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A shorter line instead of fewer launches: diffuse and react do not need each other, nor do accumulate and
// advance. A second stream, joined by events, makes them branches of the graph. 13 nodes follow each other
// instead of 20.

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

/// The chain with the two independent pairs of each stage side by side.
void capture(const State& s, float dt, cudaStream_t stream, cudaStream_t side, cudaEvent_t fork,
             cudaEvent_t join) {
  const auto launch = [&](int k, cudaStream_t where) { kChain[k]<<<blocks(s), kBlock, 0, where>>>(s, dt); };
  const auto after = [](cudaStream_t waits, cudaStream_t ends, cudaEvent_t event) {
    CUDA_CHECK(cudaEventRecord(event, ends));
    CUDA_CHECK(cudaStreamWaitEvent(waits, event, 0));
  };
  for (int k = 0; k < kChainLength; k += 5) {
    after(side, stream, fork);
    launch(k, stream);
    launch(k + 1, side);
    after(stream, side, join);
    launch(k + 2, stream);
    after(side, stream, fork);
    launch(k + 3, side);
    // In the last stage u takes the sum: it has to wait for it.
    if (k == kChainLength - 5) after(stream, side, join);
    launch(k + 4, stream);
    after(stream, side, join);
  }
}

Solver* prepare(const State& state, cudaStream_t stream) {
  auto* s = new Solver{state, 0, nullptr, nullptr, std::vector<cudaGraphNode_t>(kChainLength)};
  cudaStream_t side = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;
  CUDA_CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CUDA_CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA_CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  capture(state, s->dt, stream, side, fork, join);
  CUDA_CHECK(cudaStreamEndCapture(stream, &s->graph));
  CUDA_CHECK(cudaEventDestroy(join));
  CUDA_CHECK(cudaEventDestroy(fork));
  CUDA_CHECK(cudaStreamDestroy(side));
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
