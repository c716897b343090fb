// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A cuda::barrier in shared memory: arriving and waiting are two steps, so that a thread works between them;
// and warps with roles, producer and consumer, meet through two barriers.
#include <cuda/barrier>
#include <utility>
#include <vector>

#include "expect.h"

using Barrier = cuda::barrier<cuda::thread_scope_block>;

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void split_arrive_wait(int* out) {
  __shared__ Barrier barrier;
  __shared__ int values[64];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int round = 1; round <= 3; ++round) {
    values[threadIdx.x] = round * int(threadIdx.x);
    Barrier::arrival_token token = barrier.arrive();
    const int own = round * 1000;  // needs nobody
    barrier.wait(std::move(token));
    out[threadIdx.x] = own + values[63 - threadIdx.x];
    barrier.arrive_and_wait();
  }
}

__global__ void produce_consume(const int* in, int* out, int n) {
  __shared__ Barrier ready, filled;
  __shared__ int box[32];
  if (threadIdx.x == 0) {
    init(&ready, blockDim.x);
    init(&filled, blockDim.x);
  }
  __syncthreads();
  const bool is_producer = threadIdx.x < 32;
  const int lane = threadIdx.x % 32;
  for (int at = 0; at < n; at += 32) {
    if (is_producer) {
      ready.arrive_and_wait();
      box[lane] = in[at + lane];
      [[maybe_unused]] auto token = filled.arrive();
    } else {
      [[maybe_unused]] auto token = ready.arrive();
      filled.arrive_and_wait();
      out[at + lane] = box[31 - lane] + 1;
    }
  }
}

int main() {
  constexpr int n = 32 * 9;
  std::vector<int> in(n), got(n);
  for (int i = 0; i < n; ++i) in[i] = i * 5;
  int *d_in, *d_out;
  OK(cudaMalloc(&d_in, n * sizeof(int)));
  OK(cudaMalloc(&d_out, n * sizeof(int)));
  OK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  split_arrive_wait<<<1, 64>>>(d_out);
  OK(cudaMemcpy(got.data(), d_out, 64 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 64; ++t) EXPECT(got[t] == 3000 + 3 * (63 - t));
  produce_consume<<<1, 64>>>(d_in, d_out, n);
  OK(cudaMemcpy(got.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(got[i] == in[i / 32 * 32 + 31 - i % 32] + 1);
  OK(cudaFree(d_in));
  OK(cudaFree(d_out));
}
