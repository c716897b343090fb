// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Tiles of more than a warp (cooperative groups): they synchronise and reduce through memory that the system
// reserves in each block, which must not be the program's own shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "expect.h"

namespace cg = cooperative_groups;

constexpr int kThreads = 256;

struct Totals {
  int tile_sums[kThreads];
  int neighbours[kThreads];
  int changed;
};

template <int kSize>
__global__ void tiles(Totals* totals) {
  __shared__ cg::block_tile_memory<kThreads> scratch;
  __shared__ int mine[kThreads];
  extern __shared__ int dynamic[];
  const cg::thread_block block = cg::this_thread_block(scratch);
  const auto tile = cg::tiled_partition<kSize>(block);
  const int t = threadIdx.x;
  mine[t] = 1000 + t;
  dynamic[t] = 5000 + t;
  block.sync();
  for (int round = 0; round < 3; ++round) {
    totals->tile_sums[t] = cg::reduce(tile, t, cg::plus<int>());
    tile.sync();
    totals->neighbours[t] = tile.shfl(t, 1);
    tile.sync();
  }
  block.sync();
  if (mine[t] != 1000 + t || dynamic[t] != 5000 + t) atomicAdd(&totals->changed, 1);
}

template <int kSize>
void check() {
  Totals* totals;
  OK(cudaMallocManaged(&totals, sizeof(Totals)));
  totals->changed = 0;
  tiles<kSize><<<1, kThreads, kThreads * sizeof(int)>>>(totals);
  OK(cudaDeviceSynchronize());
  EXPECT_VALUE(0, totals->changed);
  for (int t = 0; t < kThreads; ++t) {
    const int first = t / kSize * kSize;
    EXPECT_VALUE(kSize * first + kSize * (kSize - 1) / 2, totals->tile_sums[t]);
    EXPECT_VALUE(first + 1, totals->neighbours[t]);
  }
  OK(cudaFree(totals));
}

int main() {
  check<64>();
  check<128>();
  check<256>();
  return 0;
}
