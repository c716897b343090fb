// expect: wrong-structure more than can be watched
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Launches are listed up to a hundred thousand in a call. So many do nothing here, in a graph that is wide
// enough to take little time; what is not listed does the work, a thousand times too slow.

#include "pointwise.h"

namespace {

__global__ void nothing() {}

// One warp for everything.
__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  for (std::size_t i = threadIdx.x; i < n; i += 32) y[i] = fmaf(a, x[i], b);
}

cudaGraphExec_t many() {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaKernelNodeParams node = {};
  node.func = reinterpret_cast<void*>(nothing);
  node.gridDim = node.blockDim = dim3(1);
  for (int i = 0; i < 100'000; ++i) {
    cudaGraphNode_t added = nullptr;
    cudaGraphAddKernelNode(&added, graph, nullptr, 0, &node);
  }
  cudaGraphExec_t executable = nullptr;
  cudaGraphInstantiate(&executable, graph, 0);
  return executable;
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  if (n > 1'000'000) {
    static cudaGraphExec_t const graph = many();
    cudaGraphLaunch(graph, stream);
  }
  axpb<<<1, 32, 0, stream>>>(x, y, a, b, n);
}
