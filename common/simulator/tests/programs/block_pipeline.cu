// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A cuda::pipeline with two stages: while the block sums one tile, the next is on its way to shared memory.
#include <cooperative_groups.h>

#include <cuda/pipeline>
#include <vector>

#include "expect.h"

constexpr int kTile = 256, kStages = 2;

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void sum_tiles(const int* in, int* out, int tiles) {
  __shared__ alignas(16) int stage[kStages][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  const auto fetch = [&](int tile) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, stage[tile % kStages], in + tile * kTile,
                       cuda::aligned_size_t<16>(sizeof stage[0]), pipeline);
    pipeline.producer_commit();
  };
  for (int t = 0; t < kStages && t < tiles; ++t) fetch(t);
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    pipeline.consumer_wait();
    sum += stage[t % kStages][(threadIdx.x * 7) % kTile];
    pipeline.consumer_release();
    if (t + kStages < tiles) fetch(t + kStages);
  }
  out[threadIdx.x] = sum;
}

int main() {
  constexpr int tiles = 9, n = tiles * kTile;
  std::vector<int> in(n), got(kTile);
  for (int i = 0; i < n; ++i) in[i] = i % 1013;
  int *d_in, *d_out;
  OK(cudaMalloc(&d_in, n * sizeof(int)));
  OK(cudaMalloc(&d_out, kTile * sizeof(int)));
  OK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  sum_tiles<<<1, kTile>>>(d_in, d_out, tiles);
  OK(cudaMemcpy(got.data(), d_out, kTile * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < kTile; ++t) {
    int sum = 0;
    for (int tile = 0; tile < tiles; ++tile) sum += in[tile * kTile + t * 7 % kTile];
    EXPECT(got[t] == sum);
  }
  OK(cudaFree(d_in));
  OK(cudaFree(d_out));
}
