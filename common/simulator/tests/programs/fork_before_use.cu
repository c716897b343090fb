// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A process that forks before it uses the device: parent and child both have it. After use, a child has none.
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

__global__ void fill(int* p, int value) { p[threadIdx.x] = value + threadIdx.x; }

static void work(int value) {
  int *p, host[32];
  OK(cudaMalloc(&p, sizeof host));
  fill<<<1, 32>>>(p, value);
  OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) EXPECT(host[i] == value + i);
  OK(cudaFree(p));
}

template <class F>
static void in_child(F f) {
  const pid_t child = fork();
  EXPECT(child >= 0);
  if (child == 0) {
    f();
    std::exit(0);
  }
  int status = 1;
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(status == 0);
}

int main() {
  const pid_t child = fork();
  EXPECT(child >= 0);
  work(child == 0 ? 1000 : 2000);  // at the same time
  if (child == 0) return 0;
  int status = 1;
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT(status == 0);
  in_child([] {
    int* p;
    EXPECT_RESULT(cudaErrorInitializationError, cudaMalloc(&p, 4));
  });
  work(3000);
  return 0;
}
