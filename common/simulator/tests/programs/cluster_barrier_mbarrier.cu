// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Blocks of a cluster signal each other through an mbarrier in the other block's shared memory: a consumer
// block waits for data that a producer block stores into it.
//
// needs: compute_90
#include <vector>

#include "expect.h"

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__global__ void __cluster_dims__(2, 1, 1) hand_over(int* out) {
  __shared__ unsigned long long full;
  __shared__ int box[64];
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  const unsigned bar = shared_address(&full);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (rank == 0) {  // the producer writes into block 1
    unsigned there, bar_there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;"
                 : "=r"(there)
                 : "r"(shared_address(box + threadIdx.x)));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(bar_there) : "r"(bar));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(threadIdx.x * 3) : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(bar_there) : "memory");
  } else {
    unsigned done = 0;
    while (!done)
      asm volatile(
          "{ .reg .pred p;\n"
          "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n"
          "selp.u32 %0, 1, 0, p; }"
          : "=r"(done)
          : "r"(bar)
          : "memory");
    out[blockIdx.x / 2 * 64 + threadIdx.x] = box[63 - threadIdx.x];
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

int main() {
  int* out;
  OK(cudaMalloc(&out, 3 * 64 * sizeof(int)));
  hand_over<<<6, 64>>>(out);
  std::vector<int> got(3 * 64);
  OK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 3 * 64; ++i) EXPECT(got[i] == (63 - i % 64) * 3);
  OK(cudaFree(out));
}
