// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A cluster's barrier orders what its blocks did to global memory before it, be its two halves together or
// apart.
//
// needs: compute_90
#include <cooperative_groups.h>

#include "expect.h"

namespace cg = cooperative_groups;

constexpr int kBlocks = 8, kCluster = 4, kThreads = 64;

__global__ void __cluster_dims__(kCluster) exchange(int* between, int* y) {
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned i = threadIdx.x, rank = cluster.block_rank(), first = blockIdx.x - rank;
  const auto of = [&](unsigned other) { return between + (first + other % kCluster) * kThreads; };
  of(rank)[i] = static_cast<int>(i + rank);
  cluster.sync();
  const int two_on = of(rank + 2)[kThreads - 1 - i];
  cluster.sync();
  of(rank)[i] = two_on;
  cluster.barrier_arrive();
  cluster.barrier_wait();
  y[blockIdx.x * kThreads + i] = of(rank + 1)[i];
}

/// The first block of each cluster arrives and ends; the others see what it wrote.
__global__ void __cluster_dims__(kCluster) leave(int* between, int* y) {
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned i = threadIdx.x, rank = cluster.block_rank(), first = blockIdx.x - rank;
  if (rank == 0) {
    between[first * kThreads + i] = static_cast<int>(first + i);
    cluster.barrier_arrive();
    return;
  }
  cluster.barrier_arrive();
  cluster.barrier_wait();
  y[blockIdx.x * kThreads + i] = between[first * kThreads + kThreads - 1 - i];
}

int main() {
  int *between, *y, host[kBlocks * kThreads];
  OK(cudaMalloc(&between, sizeof host));
  OK(cudaMalloc(&y, sizeof host));
  exchange<<<kBlocks, kThreads>>>(between, y);
  OK(cudaGetLastError());
  OK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  for (int block = 0; block < kBlocks; block++)
    for (int i = 0; i < kThreads; i++)
      EXPECT_VALUE(kThreads - 1 - i + (block % kCluster + 3) % kCluster, host[block * kThreads + i]);
  leave<<<kBlocks, kThreads>>>(between, y);
  OK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  for (int block = 0; block < kBlocks; block++)
    for (int i = 0; i < kThreads && block % kCluster != 0; i++)
      EXPECT_VALUE(block - block % kCluster + kThreads - 1 - i, host[block * kThreads + i]);
  OK(cudaFree(between));
  OK(cudaFree(y));
}
