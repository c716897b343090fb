// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// One lane of a warp is elected to do what must be done once.
//
// needs: compute_90
#include <cooperative_groups.h>

#include "expect.h"

namespace cg = cooperative_groups;

__device__ bool elected() {
  unsigned chosen;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(chosen));
  return chosen != 0;
}

__global__ void count_warps(int* by_elect, int* by_group) {
  if (elected()) atomicAdd(by_elect, 1);
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  cg::invoke_one(tile, [&] { atomicAdd(by_group, 1); });
}

int main() {
  int* counts;
  OK(cudaMallocManaged(&counts, 2 * sizeof(int)));
  counts[0] = counts[1] = 0;
  count_warps<<<3, 256>>>(counts, counts + 1);
  OK(cudaDeviceSynchronize());
  EXPECT(counts[0] == 3 * 8);
  EXPECT(counts[1] == 3 * 8);
  OK(cudaFree(counts));
}
