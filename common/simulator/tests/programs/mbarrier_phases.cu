// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The mbarrier object itself: phases, tokens, and cp.async copies that arrive on it when they land.
//
// needs: compute_80
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

#include <vector>

#include "expect.h"

__global__ void phases(const int4* in, int4* out, unsigned* pending) {
  __shared__ __mbarrier_t barrier;
  __shared__ int4 tile[64];
  if (threadIdx.x == 0) __mbarrier_init(&barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 4; ++round) {
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[round * 64 + threadIdx.x], sizeof(int4));
    __pipeline_arrive_on(&barrier);  // counts this thread's copies as one more arrival
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    if (round == 0 && threadIdx.x == 0) *pending = __mbarrier_token_pending_count(token);
    while (!__mbarrier_test_wait(&barrier, token)) {
    }
    out[round * 64 + threadIdx.x] = tile[63 - threadIdx.x];
    __syncthreads();
  }
  if (threadIdx.x == 0) __mbarrier_inval(&barrier);
}

int main() {
  constexpr int n = 4 * 64;
  std::vector<int4> in(n), got(n);
  for (int i = 0; i < n; ++i) in[i] = make_int4(i, -i, i * i, 7);
  int4 *d_in, *d_out;
  unsigned *d_pending, pending = 0;
  OK(cudaMalloc(&d_in, n * sizeof(int4)));
  OK(cudaMalloc(&d_out, n * sizeof(int4)));
  OK(cudaMalloc(&d_pending, sizeof(unsigned)));
  OK(cudaMemcpy(d_in, in.data(), n * sizeof(int4), cudaMemcpyHostToDevice));
  phases<<<1, 64>>>(d_in, d_out, d_pending);
  OK(cudaMemcpy(got.data(), d_out, n * sizeof(int4), cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&pending, d_pending, sizeof pending, cudaMemcpyDeviceToHost));
  EXPECT(pending >= 1 && pending <= 128);
  for (int i = 0; i < n; ++i) {
    const int from = i / 64 * 64 + 63 - i % 64;
    EXPECT(got[i].x == from && got[i].y == -from && got[i].z == from * from && got[i].w == 7);
  }
  OK(cudaFree(d_in));
  OK(cudaFree(d_out));
  OK(cudaFree(d_pending));
}
