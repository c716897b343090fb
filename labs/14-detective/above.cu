// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 14, part G: how many numbers are greater than a limit. Check with  ./lab grade 14g
//
// TODO 1 (1 to 8 lines): it compiles, and it is wrong. Find out why, and repair it.

#include "above.h"

namespace {

constexpr unsigned kThreads = 256;

__global__ void above_kernel(const float* x, unsigned* count, std::size_t n, float limit) {
  __shared__ unsigned of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && x[i] > limit) atomicAdd(&of_block, 1u);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, of_block);
}

}  // namespace

void above(const float* x, unsigned* count, std::size_t n, float limit, cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
  above_kernel<<<blocks, kThreads, 0, stream>>>(x, count, n, limit);
}
