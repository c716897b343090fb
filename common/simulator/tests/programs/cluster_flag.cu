// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A flag in the shared memory of another block of the cluster: who has seen it sees what was written to
// global memory before it.
//
// needs: compute_90
#include <cooperative_groups.h>

#include <cuda/atomic>

#include "expect.h"

namespace cg = cooperative_groups;

constexpr int kBlocks = 8, kCluster = 4, kThreads = 64;
using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

/// A baton goes through the blocks of a cluster, each adds to what the one before it wrote.
__global__ void __cluster_dims__(kCluster) relay(int* sums) {
  __shared__ unsigned turn;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned i = threadIdx.x, rank = cluster.block_rank();
  if (i == 0) turn = 0;
  cluster.sync();
  if (rank > 0) {
    if (i == 0)
      while (Flag(turn).load(cuda::memory_order_acquire) == 0) continue;
    __syncthreads();
  }
  const int before = rank > 0 ? sums[(blockIdx.x - 1) * kThreads + (i + 1) % kThreads] : 0;
  sums[blockIdx.x * kThreads + i] = before + static_cast<int>(i);
  __threadfence();
  __syncthreads();
  if (i == 0 && rank + 1 < kCluster)
    Flag(*cluster.map_shared_rank(&turn, rank + 1)).store(1, cuda::memory_order_release);
  cluster.sync();
}

int main() {
  int *sums, host[kBlocks * kThreads];
  OK(cudaMalloc(&sums, sizeof host));
  relay<<<kBlocks, kThreads>>>(sums);
  OK(cudaGetLastError());
  OK(cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
  for (int block = 0; block < kBlocks; block++)
    for (int i = 0; i < kThreads; i++) {
      int expected = 0;
      for (int rank = 0; rank <= block % kCluster; rank++) expected += (i + rank) % kThreads;
      EXPECT_VALUE(expected, host[block * kThreads + i]);
    }
  OK(cudaFree(sums));
}
