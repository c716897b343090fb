// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Hundreds of blocks, all on the GPU at once, want one lock, and hand a token from block to block: a block
// that waits does not stop the one that it waits for.
#include <cuda/semaphore>
#include <new>

#include "expect.h"

using Mutex = cuda::binary_semaphore<cuda::thread_scope_device>;

struct Shared {
  int taken, holder, sum, token, order_broken;
};

/// One thread of each block holds the lock at a time, with plain accesses between taking and giving it back.
__global__ void lock_by_hand(Shared* shared) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&shared->taken, 0, 1) != 0) {
    }
    __threadfence();
    volatile int* sum = &shared->sum;
    *sum = *sum + blockIdx.x;
    __threadfence();
    atomicExch(&shared->taken, 0);
  }
  __syncthreads();
}

/// The same through the standard library, whose acquire() backs off, and by two lanes of one warp.
__global__ void lock_by_library(Mutex* mutex, Shared* shared) {
  mutex->acquire();
  shared->sum += 1;
  mutex->release();
}

/// Block b may go when the blocks before it have gone.
__global__ void pass_token(Shared* shared) {
  if (threadIdx.x == 0) {
    volatile int* token = &shared->token;
    while (*token != static_cast<int>(blockIdx.x)) {
    }
    __threadfence();
    if (shared->holder != static_cast<int>(blockIdx.x) - 1) shared->order_broken = 1;
    shared->holder = blockIdx.x;
    __threadfence();
    atomicAdd(&shared->token, 1);
  }
  __syncthreads();
}

int main() {
  constexpr int kBlocks = 256, kThreads = 64, kLanes = 2;
  Shared* shared;
  void* memory;
  OK(cudaMallocManaged(&shared, sizeof(Shared)));
  OK(cudaMallocManaged(&memory, sizeof(Mutex)));
  *shared = {};
  lock_by_hand<<<kBlocks, kThreads>>>(shared);
  OK(cudaDeviceSynchronize());
  EXPECT(shared->sum == kBlocks * (kBlocks - 1) / 2);

  *shared = {};
  Mutex* mutex = new (memory) Mutex(1);
  lock_by_library<<<kBlocks, kLanes>>>(mutex, shared);
  OK(cudaDeviceSynchronize());
  EXPECT(shared->sum == kBlocks * kLanes);

  *shared = {};
  shared->holder = -1;
  pass_token<<<kBlocks, kThreads>>>(shared);
  OK(cudaDeviceSynchronize());
  EXPECT(shared->token == kBlocks);
  EXPECT(!shared->order_broken);
  OK(cudaFree(shared));
  OK(cudaFree(memory));
}
