// expect: too-slow
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every GPU reads all arrays and adds them up by itself, in one order for all. Right, in one kernel each; and
// twice as many bytes through every link as a ring needs.

#include <algorithm>

#include "all_reduce.h"

namespace {

constexpr int kBlock = 256, kMostBlocks = 1024;

struct Arrays {
  const float* x[16];
};

__global__ void sum_all(Arrays arrays, int gpus, float* y, std::size_t n) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += all) {
    float sum = 0;
    for (int k = 0; k < gpus; ++k) sum += arrays.x[k][i];
    y[i] = sum;
  }
}

}  // namespace

void all_reduce(const float* const* x, float* const* y, int gpus, std::size_t n,
                const cudaStream_t* streams) {
  if (n == 0) return;
  const int blocks = static_cast<int>(std::min<std::size_t>((n + kBlock - 1) / kBlock, kMostBlocks));
  for (int g = 0; g < gpus; ++g) {
    Arrays arrays;
    for (int k = 0; k < gpus; ++k) arrays.x[k] = x[k];
    cudaSetDevice(g);
    sum_all<<<blocks, kBlock, 0, streams[g]>>>(arrays, gpus, y[g], n);
  }
  cudaSetDevice(0);
}
