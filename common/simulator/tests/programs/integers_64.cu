// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// 64-bit integers: products, high halves, division by variables, shifts up to 63, rotations and bit counting.
#include <climits>

#include "expect.h"

__host__ __device__ unsigned long long high_product(unsigned long long a, unsigned long long b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
#endif
}
__host__ __device__ int ones(unsigned long long a) {
#ifdef __CUDA_ARCH__
  return __popcll(a);
#else
  return __builtin_popcountll(a);
#endif
}
__host__ __device__ int leading(unsigned long long a) {
#ifdef __CUDA_ARCH__
  return __clzll(static_cast<long long>(a));
#else
  return a == 0 ? 64 : __builtin_clzll(a);
#endif
}

__host__ __device__ unsigned long long work(unsigned long long a, unsigned long long b) {
  const long long sa = static_cast<long long>(a), sb = static_cast<long long>(b | 1);
  unsigned long long x = a * b + (a ^ b) - (a & ~b);
  x += high_product(a, b);
  x ^= a / (b | 1) + a % (b | 1);
  if (!(sa == LLONG_MIN && sb == -1)) x += static_cast<unsigned long long>(sa / sb - sa % sb);
  const int shift = static_cast<int>(b % 64);
  x ^= (a << shift) | (a >> ((64 - shift) % 64));
  x += static_cast<unsigned long long>(sa >> shift);
  x += static_cast<unsigned long long>(ones(a) * 64 + leading(b));
  return x + (sa < sb) + 2 * (a < b);
}

__device__ const unsigned long long kEdges[] = {0,
                                                1,
                                                2,
                                                0x7fffffff,
                                                0x80000000,
                                                0xffffffff,
                                                0x100000000,
                                                0x7fffffffffffffff,
                                                0x8000000000000000,
                                                0xffffffffffffffff,
                                                12345678901234567ull,
                                                0x0123456789abcdef};
static const unsigned long long kHostEdges[] = {0,
                                                1,
                                                2,
                                                0x7fffffff,
                                                0x80000000,
                                                0xffffffff,
                                                0x100000000,
                                                0x7fffffffffffffff,
                                                0x8000000000000000,
                                                0xffffffffffffffff,
                                                12345678901234567ull,
                                                0x0123456789abcdef};
constexpr int kCount = 12;

__global__ void run(unsigned long long* out) {
  const int i = threadIdx.x;
  if (i < kCount * kCount) out[i] = work(kEdges[i / kCount], kEdges[i % kCount]);
}

int main() {
  unsigned long long* out;
  OK(cudaMallocManaged(&out, kCount * kCount * sizeof(*out)));
  run<<<1, 160>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < kCount * kCount; i++)
    EXPECT(out[i] == work(kHostEdges[i / kCount], kHostEdges[i % kCount]));
  return 0;
}
