// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A graph of thousands of nodes in layers: each node adds two results of the layer before.
#include <vector>

#include "expect.h"

__global__ void add(unsigned* to, const unsigned* a, const unsigned* b) { *to = *a + *b; }

int main() {
  const int width = 50, layers = 60;
  unsigned* p = nullptr;
  OK(cudaMalloc(&p, width * layers * sizeof(unsigned)));
  std::vector<unsigned> expected(width * layers), got(width * layers);
  for (int i = 0; i < width; i++) expected[i] = static_cast<unsigned>(i);
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  std::vector<cudaGraphNode_t> nodes(width * layers);
  for (int i = 0; i < width; i++)
    OK(cudaGraphAddMemcpyNode1D(&nodes[i], graph, nullptr, 0, p + i, &expected[i], sizeof(unsigned),
                                cudaMemcpyHostToDevice));
  for (int layer = 1; layer < layers; layer++)
    for (int i = 0; i < width; i++) {
      const int at = layer * width + i, left = at - width, right = (layer - 1) * width + (i + 1) % width;
      unsigned *to = p + at, *a = p + left, *b = p + right;
      void* arguments[] = {&to, &a, &b};
      cudaKernelNodeParams k = {};
      k.func = reinterpret_cast<void*>(add);
      k.gridDim = k.blockDim = dim3(1);
      k.kernelParams = arguments;
      const cudaGraphNode_t before[] = {nodes[left], nodes[right]};
      OK(cudaGraphAddKernelNode(&nodes[at], graph, before, 2, &k));
      expected[at] = expected[left] + expected[right];
    }
  size_t n = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &n));
  EXPECT(n == size_t{width} * layers);
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &n));
  EXPECT(n == size_t{2} * width * (layers - 1));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaMemcpy(got.data(), p, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  EXPECT(got == expected);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  return 0;
}
