// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A kernel waits for a word of device memory that a copy, a fill or a kernel of another stream writes after
// it was launched.
// misuses: what streams do at the same time is not ordered, and the checks say so
#include <cooperative_groups.h>
#include <unistd.h>

#include <thread>

#include "expect.h"

__global__ void wait_for(const volatile int* flag, int* saw) {
  int value;
  while ((value = *flag) == 0) {
  }
  *saw = value;
}

__global__ void write(volatile int* flag, int value) { *flag = value; }

/// Two of these take turns: one with even values, one with odd ones.
__global__ void play(volatile int* ball, int mine, int last) {
  for (int value = mine; value <= last; value += 2) {
    while (*ball != value) {
    }
    __threadfence();
    *ball = value + 1;
  }
}

/// All blocks meet, then wait, then meet again.
__global__ void meet(const volatile int* flag, int* counted) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  if (threadIdx.x == 0) atomicAdd(counted, 1);
  grid.sync();
  const int all = *static_cast<volatile int*>(counted);
  while (flag != nullptr && *flag == 0) {
  }
  grid.sync();
  if (threadIdx.x == 0) atomicAdd(counted, all);
}

void launch_meeting(int blocks, const int* flag, int* counted, cudaStream_t stream) {
  void* arguments[] = {&flag, &counted};
  OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(meet), blocks, 32, arguments, 0, stream));
}

int main() {
  alarm(100);  // a call that blocks would wait for ever
  int *flags, *saw, *pinned;
  OK(cudaMalloc(&flags, 64 * sizeof(int)));
  OK(cudaMalloc(&saw, 8 * sizeof(int)));
  OK(cudaMallocHost(&pinned, 8 * sizeof(int)));
  cudaStream_t first, second;
  OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  // A kernel is loaded when it is first launched, and on a GPU that may wait for all that is queued.
  OK(cudaMemset(flags, 1, 64 * sizeof(int)));
  wait_for<<<1, 1>>>(flags, saw);
  write<<<1, 1>>>(flags, 1);
  play<<<1, 1>>>(flags, 1, 0);
  launch_meeting(1, nullptr, saw, nullptr);
  OK(cudaDeviceSynchronize());
  OK(cudaMemset(flags, 0, 64 * sizeof(int)));
  OK(cudaMemset(saw, 0, 8 * sizeof(int)));
  OK(cudaDeviceSynchronize());
  const auto seen = [&](int expected) {
    OK(cudaMemcpyAsync(pinned, saw, sizeof(int), cudaMemcpyDeviceToHost, first));
    OK(cudaStreamSynchronize(first));
    EXPECT_VALUE(expected, pinned[0]);
  };

  wait_for<<<1, 1, 0, first>>>(flags, saw);
  pinned[1] = 5;
  OK(cudaMemcpyAsync(flags, pinned + 1, sizeof(int), cudaMemcpyHostToDevice, second));
  seen(5);

  wait_for<<<1, 1, 0, first>>>(flags + 1, saw);
  OK(cudaMemsetAsync(flags + 1, 1, sizeof(int), second));
  seen(0x01010101);

  wait_for<<<1, 1, 0, first>>>(flags + 2, saw);
  write<<<1, 1, 0, second>>>(flags + 2, 6);
  seen(6);

  // The host is waiting already.
  wait_for<<<1, 1, 0, first>>>(flags + 3, saw);
  std::thread other([&] {
    usleep(700'000);
    write<<<1, 1, 0, second>>>(flags + 3, 7);
    OK(cudaGetLastError());
  });
  seen(7);
  other.join();

  // Two kernels that wait for each other in turn, for long.
  play<<<1, 1, 0, first>>>(flags + 4, 1, 1499);
  play<<<1, 1, 0, second>>>(flags + 4, 0, 1500);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(pinned, flags + 4, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_VALUE(1501, pinned[0]);

  // Two cooperative ones, of which each has a barrier of its own.
  OK(cudaMemset(saw, 0, 2 * sizeof(int)));
  OK(cudaDeviceSynchronize());
  launch_meeting(3, flags + 5, saw, first);
  launch_meeting(2, nullptr, saw + 1, second);
  OK(cudaStreamSynchronize(second));
  write<<<1, 1, 0, second>>>(flags + 5, 1);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(pinned, saw, 2 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_VALUE(3 + 3 * 3, pinned[0]);
  EXPECT_VALUE(2 + 2 * 2, pinned[1]);

  OK(cudaGetLastError());
  return 0;
}
