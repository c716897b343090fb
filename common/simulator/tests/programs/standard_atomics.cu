// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Atomics of the C++ standard library for CUDA: a message passed between blocks with release and acquire, and
// counters with every operation.
#include <cuda/atomic>
#include <new>

#include "expect.h"

using Flag = cuda::atomic<int, cuda::thread_scope_device>;

struct Shared {
  Flag flag{0};
  int message = 0, received = 0;
  Flag most{0};
};

__global__ void pass_message(Shared* s) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    s->message = 42;
    s->flag.store(1, cuda::memory_order_release);
    s->flag.notify_all();
  } else {
    s->flag.wait(0, cuda::memory_order_acquire);
    s->received = s->message;
  }
}

__global__ void count(Shared* s, int* counter) {
  cuda::atomic_ref<int, cuda::thread_scope_device> total(*counter);
  s->most.fetch_max(int(threadIdx.x));
  const int now = total.fetch_add(1, cuda::memory_order_relaxed) + 1;
  if (now == int(blockDim.x)) {  // the last one
    int expected = now;
    total.compare_exchange_strong(expected, 1000, cuda::memory_order_acq_rel);
  }
}

int main() {
  void* memory;
  OK(cudaMallocManaged(&memory, sizeof(Shared)));
  Shared* s = new (memory) Shared;
  int* counter;
  OK(cudaMallocManaged(&counter, sizeof(int)));
  *counter = 0;
  pass_message<<<2, 32>>>(s);
  OK(cudaDeviceSynchronize());
  EXPECT(s->received == 42);
  count<<<1, 64>>>(s, counter);
  OK(cudaDeviceSynchronize());
  EXPECT(*counter == 1000);
  EXPECT(s->most.load() == 63);
  OK(cudaFree(memory));
  OK(cudaFree(counter));
}
