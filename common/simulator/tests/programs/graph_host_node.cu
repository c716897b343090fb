// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Host functions between kernels: they see what earlier nodes wrote, later nodes see what they wrote.
#include <vector>

#include "expect.h"

__global__ void add(int* p, int value) { *p += value; }

struct Step {
  int* seen;    // pinned memory that kernels and host share
  int* device;  // and what was copied
  int factor;
  std::vector<int> values;
};

static void CUDART_CB multiply(void* data) {
  auto* step = static_cast<Step*>(data);
  step->values.push_back(*step->seen);
  *step->seen *= step->factor;
}

int main() {
  int* shared = nullptr;
  OK(cudaMallocHost(&shared, sizeof(int)));
  *shared = 1;
  Step first = {shared, nullptr, 10, {}}, second = {shared, nullptr, 100, {}};
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(shared, 1);
  OK(cudaLaunchHostFunc(stream, multiply, &first));
  add<<<1, 1, 0, stream>>>(shared, 2);
  OK(cudaLaunchHostFunc(stream, multiply, &second));
  add<<<1, 1, 0, stream>>>(shared, 3);
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(stream, &graph));
  EXPECT(first.values.empty());
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(first.values == std::vector<int>{2});
  EXPECT(second.values == std::vector<int>{22});
  EXPECT(*shared == 2203);

  // By hand, with another function argument in the executable.
  cudaGraph_t made;
  cudaGraphNode_t node;
  OK(cudaGraphCreate(&made, 0));
  cudaHostNodeParams p = {multiply, &first}, told = {};
  OK(cudaGraphAddHostNode(&node, made, nullptr, 0, &p));
  OK(cudaGraphHostNodeGetParams(node, &told));
  EXPECT(told.fn == multiply && told.userData == &first);
  cudaGraphExec_t other;
  OK(cudaGraphInstantiate(&other, made, 0));
  p.userData = &second;
  OK(cudaGraphExecHostNodeSetParams(other, node, &p));
  OK(cudaGraphLaunch(other, stream));
  OK(cudaGraphLaunch(other, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(first.values.size() == 1 && second.values.size() == 3 && second.values[2] == 220300);
  p.fn = nullptr;
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphHostNodeSetParams(node, &p));
  OK(cudaGraphExecDestroy(other));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(made));
  OK(cudaGraphDestroy(graph));
  return 0;
}
