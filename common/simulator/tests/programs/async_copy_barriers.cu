// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Asynchronous copies that arrive at an mbarrier: nothing but that arrival orders them, one thread of another
// warp waits for it; and an arrival stands for all earlier copies of its thread, those given to another
// mbarrier before included.
#include "expect.h"

constexpr int kWarp = 32;

__device__ unsigned address_of(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
__device__ void copy_word(int* to, const int* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address_of(to)), "l"(from) : "memory");
}
__device__ void arrive_when_copied(unsigned long long* barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address_of(barrier)) : "memory");
}
__device__ void wait(unsigned long long* barrier) {
  for (int done = 0; done == 0;)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(address_of(barrier))
                 : "memory");
}

/// Two warps: the first copies, the first thread of the second waits and sums.
__global__ void sum(const int* x, int* sums) {
  __shared__ int tiles[2][kWarp];
  __shared__ unsigned long long barriers[2];
  if (threadIdx.x < 2)
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(address_of(&barriers[threadIdx.x])) : "memory");
  __syncthreads();
  if (threadIdx.x < kWarp) {
    for (int i = 0; i < 2; i++) {
      copy_word(&tiles[i][threadIdx.x], x + i * kWarp + threadIdx.x);
      arrive_when_copied(&barriers[i]);
    }
  } else if (threadIdx.x == kWarp) {
    const int which = blockIdx.x;  // the second barrier alone stands for both copies
    wait(&barriers[which]);
    int total = 0;
    for (int i = 0; i <= which; i++)
      for (int k = 0; k < kWarp; k++) total += tiles[i][k];
    sums[which] = total;
  }
  __syncthreads();
}

int main() {
  int host[2 * kWarp], *x, *sums;
  for (int i = 0; i < 2 * kWarp; i++) host[i] = 1 + i;
  OK(cudaMalloc(&x, sizeof host));
  OK(cudaMalloc(&sums, 2 * sizeof(int)));
  OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  sum<<<2, 2 * kWarp>>>(x, sums);
  OK(cudaMemcpy(host, sums, 2 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_VALUE(kWarp * (kWarp + 1) / 2, host[0]);
  EXPECT_VALUE(kWarp * (2 * kWarp + 1), host[1]);
  OK(cudaFree(x));
  OK(cudaFree(sums));
}
