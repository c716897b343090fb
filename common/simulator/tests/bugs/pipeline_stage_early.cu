// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race async-copy, lines 21 and 28
// advice: consumer_wait(), or wait() of the barrier
// The tiles of a pipeline come in turn; this one is read before its turn.
#include <cooperative_groups.h>

#include <cuda/pipeline>

constexpr int kThreads = 64;

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void pairs(const float* x, float* y) {
  __shared__ alignas(16) float tiles[2][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int i = 0; i < 2; i++) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, tiles[i], x + i * kThreads, cuda::aligned_size_t<16>(sizeof tiles[i]),
                       pipeline);
    pipeline.producer_commit();
  }
  pipeline.consumer_wait();
  const unsigned from = kThreads - 1 - threadIdx.x;
#ifndef FIXED
  y[threadIdx.x] = tiles[0][from] + tiles[1][from];
#endif
  pipeline.consumer_release();
  pipeline.consumer_wait();
#ifdef FIXED
  y[threadIdx.x] = tiles[0][from] + tiles[1][from];
#endif
  pipeline.consumer_release();
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 2 * kThreads * sizeof(float));
  cudaMalloc(&y, kThreads * sizeof(float));
  cudaMemset(x, 0, 2 * kThreads * sizeof(float));
  pairs<<<1, kThreads>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
