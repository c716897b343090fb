// expect: pass
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// 1024 blocks, a tree in the shared memory of each. Blocks cannot wait for each other, so a second kernel of
// one block adds up what they left in the scratch memory.

#include "reduce.h"

namespace {

constexpr int kBlock = 256, kBlocks = 1024;

__device__ float greater(float a, float b) { return a > b || a != a ? a : b; }

// The sum and the greatest of a block, in thread 0.
__device__ void of_block(float& s, float& m) {
  __shared__ float sums[kBlock], greatest[kBlock];
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
  s = sums[0];
  m = greatest[0];
}

__global__ void first_kernel(const float* x, std::size_t n, float* partial) {
  float s = 0, m = -INFINITY;
  for (std::size_t i = blockIdx.x * std::size_t(kBlock) + threadIdx.x; i < n; i += kBlocks * kBlock) {
    s += x[i];
    m = greater(x[i], m);
  }
  of_block(s, m);
  if (threadIdx.x > 0) return;
  partial[blockIdx.x] = s;
  partial[kBlocks + blockIdx.x] = m;
}

__global__ void second_kernel(const float* partial, float* sum, float* max) {
  float s = 0, m = -INFINITY;
  for (int i = threadIdx.x; i < kBlocks; i += kBlock) {
    s += partial[i];
    m = greater(partial[kBlocks + i], m);
  }
  of_block(s, m);
  if (threadIdx.x > 0) return;
  *sum = s;
  *max = m;
}

}  // namespace

void reduce(const float* x, float* sum, float* max, std::size_t n, float* scratch, cudaStream_t stream) {
  first_kernel<<<kBlocks, kBlock, 0, stream>>>(x, n, scratch);
  second_kernel<<<1, kBlock, 0, stream>>>(scratch, sum, max);
}
