// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A histogram whose bins are spread over the shared memory of a thread block cluster: each block owns a part
// of the bins, and every block adds to all of them through distributed shared memory.
//
// needs: compute_90
#include <cooperative_groups.h>

#include <vector>

#include "expect.h"

namespace cg = cooperative_groups;

constexpr int kClusterSize = 4, kBinsPerBlock = 64, kBins = kClusterSize * kBinsPerBlock;

__global__ void __cluster_dims__(kClusterSize, 1, 1)
    histogram(const unsigned* values, int n, unsigned* bins) {
  __shared__ unsigned mine[kBinsPerBlock];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < kBinsPerBlock; i += blockDim.x) mine[i] = 0;
  cluster.sync();  // every block's bins are zero before anybody adds
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned bin = values[i] % kBins;
    unsigned* theirs = cluster.map_shared_rank(mine, bin / kBinsPerBlock);
    atomicAdd(theirs + bin % kBinsPerBlock, 1u);
  }
  cluster.sync();  // nobody adds any more, and nobody has left
  for (int i = threadIdx.x; i < kBinsPerBlock; i += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * kBinsPerBlock + i], mine[i]);
}

int main() {
  constexpr int n = 10000;
  std::vector<unsigned> values(n), expected(kBins), got(kBins);
  for (int i = 0; i < n; ++i) {
    values[i] = i * 2654435761u >> 7;
    ++expected[values[i] % kBins];
  }
  unsigned *d_values, *d_bins;
  OK(cudaMalloc(&d_values, n * sizeof(unsigned)));
  OK(cudaMalloc(&d_bins, kBins * sizeof(unsigned)));
  OK(cudaMemcpy(d_values, values.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  OK(cudaMemset(d_bins, 0, kBins * sizeof(unsigned)));
  histogram<<<2 * kClusterSize, 128>>>(d_values, n, d_bins);
  OK(cudaGetLastError());
  OK(cudaMemcpy(got.data(), d_bins, kBins * sizeof(unsigned), cudaMemcpyDeviceToHost));
  EXPECT(got == expected);
  // A grid that is not made of whole clusters cannot be launched.
  histogram<<<2 * kClusterSize + 1, 128>>>(d_values, n, d_bins);
  EXPECT(cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess);
  OK(cudaFree(d_values));
  OK(cudaFree(d_bins));
}
