// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Cooperative groups. Compiled to PTX by corpus_test; never run.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

template <unsigned Size>
__device__ void tile(int* x, float* f) {
  const auto group = cg::tiled_partition<Size>(cg::this_thread_block());
  x[0] = group.thread_rank() + group.size() + group.meta_group_rank() + group.meta_group_size();
  x[1] = group.shfl(x[2], 1) + group.shfl_down(x[3], 1) + group.shfl_up(x[4], 1) + group.shfl_xor(x[5], 1);
  x[6] = group.any(x[7]) + group.all(x[8]) + group.ballot(x[9]) + group.match_any(x[10]);
  group.sync();
  x[11] = cg::reduce(group, x[12], cg::plus<int>());
  x[13] = cg::reduce(group, x[14], cg::greater<int>());
  f[0] = cg::reduce(group, f[1], cg::plus<float>());
  x[15] = cg::inclusive_scan(group, x[16]);
  x[17] = cg::exclusive_scan(group, x[18], cg::bit_or<int>());
}

__global__ void tiles(int* x, float* f) {
  tile<32>(x, f);
  tile<16>(x, f);
  tile<4>(x, f);
}

__global__ void coalesced(int* x) {
  if (x[threadIdx.x] > 3) {
    const auto group = cg::coalesced_threads();
    x[0] = group.thread_rank() + group.size() + group.shfl(x[1], 0);
    x[2] = cg::reduce(group, x[3], cg::plus<int>());
    group.sync();
    if (group.thread_rank() == 0) atomicAdd(x + 5, group.size());
    const auto parity = cg::labeled_partition(group, x[4] & 1);
    x[6] = parity.size();
    const auto halves = cg::binary_partition(group, x[7] > 2);
    x[8] = halves.ballot(1);
  }
}

__global__ void blocks(int* x, int4* y) {
  __shared__ int buffer[256];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, buffer, x, sizeof(int) * 256);
  cg::wait(block);
  block.sync();
  x[0] = buffer[(block.thread_rank() + 1) & 255] + block.group_index().x + block.dim_threads().y;
  cg::invoke_one(block, [&] { x[1] = 5; });
  y[0] = y[1];
}

__global__ void grids(int* x) {
  const auto grid = cg::this_grid();
  x[0] = grid.thread_rank() + grid.size() + grid.is_valid();
  grid.sync();
  x[1] = x[2];
}
