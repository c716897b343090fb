// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Pi by random points: a counter-based random number generator, so that host and device count the same
// points.
// needs: compute_80
#include <cmath>

#include "expect.h"

/// One round of mixing after the other; every input bit changes about half of the output bits.
__host__ __device__ unsigned long long mix(unsigned long long x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__host__ __device__ bool is_inside(unsigned long long sample) {
  const unsigned long long bits = mix(sample);
  const unsigned long long x = bits >> 32, y = bits & 0xffffffffull;
  return x * x / 4 + y * y / 4 < 1ull << 62;
}

__global__ void count(unsigned long long* hits, int per_thread) {
  const unsigned long long thread = blockIdx.x * blockDim.x + threadIdx.x;
  int mine = 0;
  for (int i = 0; i < per_thread; i++) mine += is_inside(thread * per_thread + i);
  const int warp = __reduce_add_sync(~0u, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(hits, static_cast<unsigned long long>(warp));
}

int main() {
  const int blocks = 16, threads = 128, per_thread = 50, n = blocks * threads * per_thread;
  unsigned long long* hits;
  OK(cudaMallocManaged(&hits, sizeof(*hits)));
  *hits = 0;
  count<<<blocks, threads>>>(hits, per_thread);
  OK(cudaDeviceSynchronize());
  unsigned long long expected = 0;
  for (int i = 0; i < n; i++) expected += is_inside(i);
  EXPECT(*hits == expected);
  EXPECT(std::fabs(4.0 * *hits / n - 3.14159265) < 0.02);
  return 0;
}
