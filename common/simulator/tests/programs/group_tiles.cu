// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Tiles of a block (cooperative groups): each tile of 4, 8, 16 or 32 threads shuffles, votes and synchronises
// on its own.
#include <cooperative_groups.h>

#include <vector>

#include "expect.h"

namespace cg = cooperative_groups;

template <int kSize>
__global__ void tiles(int* sums, unsigned* ballots, int* neighbours) {
  const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
  const int rank = tile.thread_rank();
  int sum = threadIdx.x;
  for (int step = kSize / 2; step > 0; step /= 2) sum += tile.shfl_xor(sum, step);
  sums[threadIdx.x] = sum;
  ballots[threadIdx.x] = tile.ballot(rank % 3 == 0);
  neighbours[threadIdx.x] = tile.shfl(int(threadIdx.x), (rank + 1) % kSize);
  if (!tile.any(rank == 0) || tile.all(rank == 0)) sums[threadIdx.x] = -1;
}

template <int kSize>
void check() {
  constexpr int kThreads = 96;
  int *sums, *neighbours;
  unsigned* ballots;
  OK(cudaMallocManaged(&sums, kThreads * sizeof(int)));
  OK(cudaMallocManaged(&neighbours, kThreads * sizeof(int)));
  OK(cudaMallocManaged(&ballots, kThreads * sizeof(unsigned)));
  tiles<kSize><<<1, kThreads>>>(sums, ballots, neighbours);
  OK(cudaDeviceSynchronize());
  unsigned ballot = 0;
  for (int i = 0; i < kSize; i += 3) ballot |= 1u << i;
  for (int t = 0; t < kThreads; ++t) {
    const int first = t / kSize * kSize;
    EXPECT(sums[t] == kSize * first + kSize * (kSize - 1) / 2);
    EXPECT(ballots[t] == ballot);
    EXPECT(neighbours[t] == first + (t - first + 1) % kSize);
  }
  OK(cudaFree(sums));
  OK(cudaFree(neighbours));
  OK(cudaFree(ballots));
}

int main() {
  check<4>();
  check<8>();
  check<16>();
  check<32>();
}
