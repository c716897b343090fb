// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The size of a cluster chosen at launch (cudaLaunchKernelEx), and what a block sees of its cluster: a ring
// in which each block hands a row of its shared memory to its neighbour.
//
// needs: compute_90
#include <cooperative_groups.h>

#include <vector>

#include "expect.h"

namespace cg = cooperative_groups;

__global__ void ring(int* out, unsigned* shape) {
  __shared__ int row[32];
  cg::cluster_group cluster = cg::this_cluster();
  row[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  out[blockIdx.x * 32 + threadIdx.x] = cluster.map_shared_rank(row, next)[threadIdx.x];
  cluster.sync();
  if (threadIdx.x == 0) shape[blockIdx.x] = cluster.block_rank() * 100 + cluster.num_blocks();
}

void run(unsigned cluster_size) {
  constexpr int kBlocks = 8;
  int* out;
  unsigned* shape;
  OK(cudaMalloc(&out, kBlocks * 32 * sizeof(int)));
  OK(cudaMalloc(&shape, kBlocks * sizeof(unsigned)));
  cudaLaunchConfig_t config = {};
  config.gridDim = kBlocks;
  config.blockDim = 32;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster_size;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  OK(cudaLaunchKernelEx(&config, ring, out, shape));
  std::vector<int> got(kBlocks * 32);
  std::vector<unsigned> shapes(kBlocks);
  OK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(shapes.data(), shape, shapes.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
  for (unsigned block = 0; block < kBlocks; ++block) {
    const unsigned rank = block % cluster_size, neighbour = block - rank + (rank + 1) % cluster_size;
    EXPECT(shapes[block] == rank * 100 + cluster_size);
    for (unsigned i = 0; i < 32; ++i) EXPECT(got[block * 32 + i] == int(neighbour * 100 + i));
  }
  OK(cudaFree(out));
  OK(cudaFree(shape));
}

int main() {
  for (unsigned size : {1u, 2u, 4u, 8u}) run(size);
}
