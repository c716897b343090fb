// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Atomics of the whole system: a kernel and host code add to the same word of managed memory at the same
// time, and no addition is lost; whatever other atomics the kernel has.
#include "expect.h"

constexpr unsigned kTimes = 20000;

struct Shared {
  unsigned sum, last, bits, ended;
};

__global__ void add(Shared* shared) {
  for (unsigned i = 0; i < kTimes; i++) {
    atomicAdd_system(&shared->sum, 1);
    atomicExch_system(&shared->last, i);
    atomicXor_system(&shared->bits, 1u << threadIdx.x);
  }
  __threadfence_system();
  atomicAdd_system(&shared->ended, 1);
}

void beside(Shared* shared) {
  *shared = {};
  add<<<1, 8>>>(shared);
  unsigned mine = 0;
  while (__atomic_load_n(&shared->ended, __ATOMIC_ACQUIRE) < 8 || mine % 2 != 0) {
    __atomic_fetch_add(&shared->sum, 1, __ATOMIC_RELAXED);
    __atomic_fetch_xor(&shared->bits, 1u << 20, __ATOMIC_RELAXED);
    mine++;
  }
  OK(cudaDeviceSynchronize());
  EXPECT_VALUE(8 * kTimes + mine, shared->sum);
  EXPECT_VALUE(0u, shared->bits);
  EXPECT_VALUE(kTimes - 1, shared->last);
}

int main() {
  int concurrent = 0;
  OK(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0));
  if (concurrent == 0) return 0;
  Shared* shared;
  OK(cudaMallocManaged(&shared, sizeof *shared));
  beside(shared);
  OK(cudaFree(shared));
}
