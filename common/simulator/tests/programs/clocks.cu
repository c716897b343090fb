// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Time inside a kernel: cycles (clock64), nanoseconds (globaltimer), and a sleep that takes some.
#include <vector>

#include "expect.h"

__global__ void measure(long long* cycles, unsigned long long* nanoseconds, float* sink) {
  unsigned long long start_ns, end_ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start_ns));
  const long long start = clock64();
  float x = threadIdx.x;
  for (int i = 0; i < 64; ++i) x = x * 1.0001f + 1.0f;
  sink[threadIdx.x] = x;
  const long long middle = clock64();
  __nanosleep(10000);
  const long long end = clock64();
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end_ns));
  if (threadIdx.x == 0) {
    cycles[0] = middle - start;
    cycles[1] = end - middle;
    nanoseconds[0] = end_ns - start_ns;
  }
}

int main() {
  long long* cycles;
  unsigned long long* nanoseconds;
  float* sink;
  OK(cudaMallocManaged(&cycles, 2 * sizeof(long long)));
  OK(cudaMallocManaged(&nanoseconds, sizeof(unsigned long long)));
  OK(cudaMallocManaged(&sink, 32 * sizeof(float)));
  measure<<<1, 32>>>(cycles, nanoseconds, sink);
  OK(cudaDeviceSynchronize());
  EXPECT(cycles[0] >= 64 && cycles[0] < 100000);  // 64 dependent operations take at least a cycle each
  EXPECT(cycles[1] > 0);
  EXPECT(nanoseconds[0] < 1000000000ull);
  OK(cudaFree(cycles));
  OK(cudaFree(nanoseconds));
  OK(cudaFree(sink));
}
