// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Prefix sums of any length: a scan inside each warp, across the warps of a block, and across blocks by a
// second kernel.
#include <vector>

#include "expect.h"

__device__ int warp_scan(int value) {
  for (int delta = 1; delta < 32; delta *= 2) {
    const int left = __shfl_up_sync(~0u, value, delta);
    if (threadIdx.x % 32 >= delta) value += left;
  }
  return value;
}

__global__ void scan_blocks(int* p, int* totals, int n) {
  __shared__ int s_warps[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = warp_scan(i < n ? p[i] : 0);
  if (threadIdx.x % 32 == 31) s_warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32)
    s_warps[threadIdx.x] = warp_scan(threadIdx.x < blockDim.x / 32 ? s_warps[threadIdx.x] : 0);
  __syncthreads();
  if (threadIdx.x >= 32) value += s_warps[threadIdx.x / 32 - 1];
  if (i < n) p[i] = value;
  if (threadIdx.x == blockDim.x - 1 && totals) totals[blockIdx.x] = value;
}

__global__ void add_totals(int* p, const int* totals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < n) p[i] += totals[blockIdx.x - 1];
}

int main() {
  const int n = 50001, block = 256, blocks = (n + block - 1) / block;
  std::vector<int> host(n), result(n);
  for (int i = 0; i < n; i++) host[i] = i % 7 - 2;
  int *p, *totals;
  OK(cudaMalloc(&p, n * sizeof(int)));
  OK(cudaMalloc(&totals, blocks * sizeof(int)));
  OK(cudaMemcpy(p, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  scan_blocks<<<blocks, block>>>(p, totals, n);
  scan_blocks<<<1, 256>>>(totals, nullptr, blocks);
  add_totals<<<blocks, block>>>(p, totals, n);
  OK(cudaMemcpy(result.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0, sum = 0; i < n; i++) EXPECT(result[i] == (sum += host[i]));
  return 0;
}
