// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Launches a graph every time, as fast programs do. It is empty but for the first time.

#include "pointwise.h"

namespace {

// One warp for everything: right, and a thousand times too slow.
__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  for (std::size_t i = threadIdx.x; i < n; i += 32) y[i] = fmaf(a, x[i], b);
}

void slow(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0) axpb<<<1, 32, 0, stream>>>(x, y, a, b, n);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  static std::size_t answered = 0;
  if (n != answered) {
    answered = n;
    slow(x, y, a, b, n, stream);
    return;
  }
  static cudaGraphExec_t nothing = nullptr;
  if (nothing == nullptr) {
    cudaGraph_t graph = nullptr;
    cudaGraphCreate(&graph, 0);
    cudaGraphInstantiate(&nothing, graph, 0);
  }
  cudaGraphLaunch(nothing, stream);
}
