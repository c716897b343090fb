// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Atomics of the C++ standard library for CUDA: memory orders and scopes, a message passed between blocks, a
// latch and a semaphore.
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <new>

#include "expect.h"

using Flag = cuda::atomic<int, cuda::thread_scope_device>;

struct Shared {
  Flag flag{0};
  int message = 0, received = 0;
  cuda::counting_semaphore<cuda::thread_scope_device> places{2};
  Flag inside{0}, most{0};
  cuda::latch<cuda::thread_scope_device> all{64};
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

__global__ void share_places(Shared* s, int* counter) {
  cuda::atomic_ref<int, cuda::thread_scope_device> count(*counter);
  s->places.acquire();
  const int now = s->inside.fetch_add(1) + 1;
  s->most.fetch_max(now);
  count.fetch_add(1, cuda::memory_order_relaxed);
  s->inside.fetch_sub(1);
  s->places.release();
  s->all.arrive_and_wait();
  if (threadIdx.x == 0) {
    int expected = 64;
    count.compare_exchange_strong(expected, 1000, cuda::memory_order_acq_rel);
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
  share_places<<<1, 64>>>(s, counter);
  OK(cudaDeviceSynchronize());
  EXPECT(*counter == 1000);
  EXPECT(s->inside.load() == 0 && s->most.load() >= 1 && s->most.load() <= 2);
  OK(cudaFree(memory));
  OK(cudaFree(counter));
}
