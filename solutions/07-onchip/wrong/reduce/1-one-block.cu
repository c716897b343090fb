// expect: too-slow
// bench: one block
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 1. A tree in shared memory: 1024 sums become 512, 256 ... 1, with a barrier after each step. One
// block, which is one SM of all that the device has.

#include "reduce.h"

namespace {

constexpr int kBlock = 1024;

__device__ float greater(float a, float b) { return a > b || a != a ? a : b; }

__global__ void reduce_kernel(const float* x, float* sum, float* max, std::size_t n) {
  __shared__ float sums[kBlock], greatest[kBlock];
  float s = 0, m = -INFINITY;
  for (std::size_t i = threadIdx.x; i < n; i += kBlock) {
    s += x[i];
    m = greater(x[i], m);
  }
  sums[threadIdx.x] = s;
  greatest[threadIdx.x] = m;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      greatest[threadIdx.x] = greater(greatest[threadIdx.x + half], greatest[threadIdx.x]);
    }
    __syncthreads();
  }
  if (threadIdx.x > 0) return;
  *sum = sums[0];
  *max = greatest[0];
}

}  // namespace

void reduce(const float* x, float* sum, float* max, std::size_t n, float* scratch, cudaStream_t stream) {
  reduce_kernel<<<1, kBlock, 0, stream>>>(x, sum, max, n);
}
