// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>

#include "cuda/check.h"
#include "graph_node.h"
#include "small_kernel.h"

namespace {

cudaGraphExec_t instantiate(const float* x, float* y, int repeat, std::size_t n, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int k = 0; k < repeat; ++k) launch_small(k, x, y, n, stream);
  CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec = nullptr;
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaGraphUpload(exec, stream));
  return exec;
}

}  // namespace

void graph_node_roof(const float* x, float* y, int repeat, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  static std::map<std::tuple<const float*, float*, int, std::size_t>, cudaGraphExec_t> graphs;
  const auto [entry, is_new] = graphs.try_emplace({x, y, repeat, n});
  if (is_new) entry->second = instantiate(x, y, repeat, n, stream);
  CUDA_CHECK(cudaGraphLaunch(entry->second, stream));
}
