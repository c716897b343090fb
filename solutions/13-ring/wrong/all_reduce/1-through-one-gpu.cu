// expect: too-slow
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// bench: through one GPU
//
// GPU 0 adds up all arrays, and the others fetch the sum. Its link carries three arrays in and three out, one
// direction after the other; those of the others are idle for most of the time.

#include <algorithm>

#include "all_reduce.h"

namespace {

constexpr int kBlock = 256, kMostBlocks = 1024;

/// sum[i] = a[i] + b[i], where b is in another GPU's memory.
__global__ void add(const float* a, const float* b, float* sum, std::size_t n) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += all)
    sum[i] = a[i] + b[i];
}

}  // namespace

void all_reduce(const float* const* x, float* const* y, int gpus, std::size_t n,
                const cudaStream_t* streams) {
  if (n == 0) return;
  const int blocks = static_cast<int>(std::min<std::size_t>((n + kBlock - 1) / kBlock, kMostBlocks));
  for (int g = 1; g < gpus; ++g) add<<<blocks, kBlock, 0, streams[0]>>>(g == 1 ? x[0] : y[0], x[g], y[0], n);
  cudaEvent_t summed;
  cudaEventCreateWithFlags(&summed, cudaEventDisableTiming);
  cudaEventRecord(summed, streams[0]);
  for (int g = 1; g < gpus; ++g) {
    cudaSetDevice(g);
    cudaStreamWaitEvent(streams[g], summed, 0);
    cudaMemcpyPeerAsync(y[g], g, y[0], 0, n * sizeof(float), streams[g]);
  }
  cudaSetDevice(0);
  cudaEventDestroy(summed);
}
