// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A process forks while other threads of it are in calls: the children have no device, and end.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "expect.h"

__global__ void add_one(int* p) { p[threadIdx.x]++; }

static void call_until(const std::atomic<bool>& over) {
  int* p;
  OK(cudaMalloc(&p, 32 * sizeof(int)));
  while (!over) {
    int *q, host[32];
    OK(cudaMalloc(&q, sizeof host));
    OK(cudaMemset(q, 0, sizeof host));
    add_one<<<1, 32>>>(q);
    OK(cudaMemcpy(host, q, sizeof host, cudaMemcpyDeviceToHost));
    for (const int value : host) EXPECT(value == 1);
    OK(cudaFree(q));
  }
  OK(cudaFree(p));
}

int main() {
  std::atomic<bool> over = false;
  std::vector<std::thread> callers;
  for (int i = 0; i < 2; i++) callers.emplace_back([&] { call_until(over); });
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 200; i++) {
    const pid_t child = fork();
    EXPECT(child >= 0);
    if (child == 0) {
      int* p;
      EXPECT_RESULT(cudaErrorInitializationError, cudaMalloc(&p, 4));
      std::exit(0);
    }
    int status = 1;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(status == 0);
  }
  over = true;
  for (std::thread& caller : callers) caller.join();
  return 0;
}
