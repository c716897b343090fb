// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Semaphores of the C++ standard library for CUDA, taken by lanes of the same warp: those that wait must not
// stop those that will release it, which independent thread scheduling promises since Volta.
#include <cuda/atomic>
#include <cuda/semaphore>
#include <new>

#include "expect.h"

using Seats = cuda::counting_semaphore<cuda::thread_scope_device>;
using Turn = cuda::binary_semaphore<cuda::thread_scope_block>;
using Counter = cuda::atomic<int, cuda::thread_scope_device>;

struct Room {
  static constexpr int kSeats = 3;
  Seats seats{kSeats};
  Counter inside{0}, most{0}, visits{0};
};

__global__ void visit(Room* room) {
  room->seats.acquire();
  room->most.fetch_max(room->inside.fetch_add(1) + 1);
  room->visits.fetch_add(1);
  room->inside.fetch_sub(1);
  room->seats.release();
}

/// A mutex: every thread passes it several times.
__global__ void add_in_turn(int* sum, int rounds) {
  __shared__ alignas(Turn) char memory[sizeof(Turn)];
  Turn* turn = reinterpret_cast<Turn*>(memory);
  if (threadIdx.x == 0) new (turn) Turn(1);
  __syncthreads();
  for (int i = 0; i < rounds; ++i) {
    turn->acquire();
    *sum = *sum + threadIdx.x;
    turn->release();
  }
}

/// A chain: each thread waits for the one behind it, the last one for nobody.
__global__ void relay(int* order, int* next) {
  constexpr int kMost = 64;
  __shared__ alignas(Turn) char memory[kMost * sizeof(Turn)];
  Turn* turns = reinterpret_cast<Turn*>(memory);
  const int t = threadIdx.x, last = blockDim.x - 1;
  new (turns + t) Turn(t == last);
  __syncthreads();
  turns[t].acquire();
  order[(*next)++] = t;
  if (t != 0) turns[t - 1].release();
}

int main() {
  constexpr int n = 48, rounds = 4;
  void* memory;
  OK(cudaMallocManaged(&memory, sizeof(Room)));
  Room* room = new (memory) Room;
  visit<<<2, 64>>>(room);
  OK(cudaDeviceSynchronize());
  EXPECT(room->visits.load() == 128);
  EXPECT(room->inside.load() == 0);
  EXPECT(room->most.load() >= 1 && room->most.load() <= Room::kSeats);

  int *order, *sum;
  OK(cudaMallocManaged(&order, n * sizeof(int)));
  OK(cudaMallocManaged(&sum, sizeof(int)));
  *sum = 0;
  add_in_turn<<<1, n>>>(sum, rounds);
  OK(cudaDeviceSynchronize());
  EXPECT(*sum == rounds * n * (n - 1) / 2);
  *sum = 0;
  relay<<<1, n>>>(order, sum);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(order[i] == n - 1 - i);
  OK(cudaFree(memory));
  OK(cudaFree(order));
  OK(cudaFree(sum));
}
