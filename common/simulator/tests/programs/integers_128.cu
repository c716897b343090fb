// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// __int128: sums with carry, products, shifts, comparisons and division, which nvcc builds from 64-bit
// pieces.
#include "expect.h"

using u128 = unsigned __int128;
using s128 = __int128;

__host__ __device__ u128 make(unsigned i) {
  const unsigned long long high = i * 0x9e3779b97f4a7c15ull, low = i * 0xbf58476d1ce4e5b9ull + 1;
  return (u128(high) << 64) | low;
}

__host__ __device__ u128 work(unsigned i, unsigned j) {
  const u128 a = make(i), b = make(j) >> (j * 5 % 100);
  u128 x = a * b + (a - b);
  x ^= a << (j % 128);
  x += u128(s128(a) >> (i % 128));
  x += a / (b | 1);
  x ^= a % (b | 1);
  x += u128(s128(a) / s128(b | 1));
  return x + (a < b) + 2 * (s128(a) < s128(b));
}

__global__ void run(u128* out) { out[blockIdx.x * 32 + threadIdx.x] = work(blockIdx.x, threadIdx.x); }

int main() {
  u128* out;
  OK(cudaMallocManaged(&out, 32 * 32 * sizeof(u128)));
  run<<<32, 32>>>(out);
  OK(cudaDeviceSynchronize());
  for (unsigned i = 0; i < 32 * 32; i++) EXPECT(out[i] == work(i / 32, i % 32));
  return 0;
}
