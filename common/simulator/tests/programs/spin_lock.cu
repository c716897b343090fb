// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// 32 lanes of one warp, and several blocks, take one lock: since Volta a lane that waits does not stop the
// lane that holds it. With backoff, and a fence between the data and the lock.
#include "expect.h"

struct Lock {
  int taken;
  long long sum;
  int entries;
};

__global__ void add_under_lock(Lock* lock) {
  unsigned wait = 8;
  while (atomicCAS(&lock->taken, 0, 1) != 0) {
    __nanosleep(wait);
    if (wait < 256) wait *= 2;
  }
  __threadfence();
  volatile long long* sum = &lock->sum;
  *sum = *sum + blockIdx.x * blockDim.x + threadIdx.x;
  ++*const_cast<volatile int*>(&lock->entries);
  __threadfence();
  atomicExch(&lock->taken, 0);
}

int main() {
  Lock* lock;
  OK(cudaMallocManaged(&lock, sizeof(Lock)));
  *lock = {};
  add_under_lock<<<4, 64>>>(lock);
  OK(cudaDeviceSynchronize());
  EXPECT(lock->taken == 0);
  EXPECT(lock->entries == 256);
  EXPECT(lock->sum == 255 * 256 / 2);
  OK(cudaFree(lock));
}
