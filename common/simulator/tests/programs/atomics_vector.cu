// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Compute capability 9.0 adds two or four floats with one atomic, and compares and swaps 128 bits.
//
// needs: compute_90
#include <vector>

#include "expect.h"

struct alignas(16) Wide {
  unsigned long long low, high;
};

__global__ void add(float2* two, float4* four, float2* before) {
  const float t = threadIdx.x;
  before[threadIdx.x] = atomicAdd(two, make_float2(1.0f, 2.0f));
  atomicAdd(four, make_float4(1.0f, t, 0.5f, -t));
}

/// A counter and the number of times it was touched, changed together.
__global__ void count(Wide* cell) {
  Wide seen = *cell;
  for (;;) {
    const Wide next = {seen.low + threadIdx.x, seen.high + 1};
    const Wide got = atomicCAS(cell, seen, next);
    if (got.low == seen.low && got.high == seen.high) return;
    seen = got;
  }
}

int main() {
  float2 *two, *before;
  float4* four;
  Wide* cell;
  OK(cudaMallocManaged(&two, sizeof(float2)));
  OK(cudaMallocManaged(&before, 32 * sizeof(float2)));
  OK(cudaMallocManaged(&four, sizeof(float4)));
  OK(cudaMallocManaged(&cell, sizeof(Wide)));
  *two = make_float2(0, 0);
  *four = make_float4(0, 0, 0, 0);
  *cell = {0, 0};
  add<<<1, 32>>>(two, four, before);
  count<<<2, 32>>>(cell);
  OK(cudaDeviceSynchronize());
  EXPECT(two->x == 32.0f && two->y == 64.0f);
  EXPECT(four->x == 32.0f && four->y == 496.0f && four->z == 16.0f && four->w == -496.0f);
  for (int t = 0; t < 32; ++t) EXPECT(before[t].x < 32.0f && before[t].y == 2 * before[t].x);
  EXPECT(cell->low == 2 * 496 && cell->high == 64);
  OK(cudaFree(two));
  OK(cudaFree(before));
  OK(cudaFree(four));
  OK(cudaFree(cell));
}
