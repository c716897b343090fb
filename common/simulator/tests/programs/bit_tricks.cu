// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Instructions that move bits: byte permutation, funnel shifts, bit reversal, counting, and any function of
// three bits in one instruction (lop3).
#include <cstdint>
#include <vector>

#include "expect.h"

constexpr int kResults = 10;

__global__ void bits(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* out) {
  const unsigned x = a[threadIdx.x], y = b[threadIdx.x], z = c[threadIdx.x];
  unsigned* r = out + threadIdx.x * kResults;
  r[0] = __byte_perm(x, y, 0x7531);
  r[1] = __funnelshift_l(x, y, z);   // the amount wraps at 32
  r[2] = __funnelshift_rc(x, y, z);  // the amount is held at 32
  r[3] = __brev(x);
  r[4] = __clz(x >> z % 32);
  r[5] = __popc(x) * 100 + __ffs(x & 0xff00);
  asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r[6]) : "r"(x), "r"(y), "r"(z));  // majority
  asm("bfe.u32 %0, %1, 5, 9;" : "=r"(r[7]) : "r"(x));
  asm("bfi.b32 %0, %1, %2, 4, 12;" : "=r"(r[8]) : "r"(x), "r"(y));
  r[9] = x << (z & 63) | (z >= 32 ? 1u : 0u);
  if (z >= 32) r[9] = 1;
}

int main() {
  constexpr int n = 64;
  std::vector<unsigned> a(n), b(n), c(n), out(n * kResults);
  for (int i = 0; i < n; ++i) a[i] = 0x9e3779b9u * (i + 1), b[i] = 0x85ebca6bu * (i + 7), c[i] = i;
  unsigned *d_a, *d_b, *d_c, *d_out;
  OK(cudaMalloc(&d_a, n * 4));
  OK(cudaMalloc(&d_b, n * 4));
  OK(cudaMalloc(&d_c, n * 4));
  OK(cudaMalloc(&d_out, n * kResults * 4));
  OK(cudaMemcpy(d_a, a.data(), n * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_b, b.data(), n * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_c, c.data(), n * 4, cudaMemcpyHostToDevice));
  bits<<<1, n>>>(d_a, d_b, d_c, d_out);
  OK(cudaMemcpy(out.data(), d_out, n * kResults * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    const unsigned x = a[i], y = b[i], z = c[i], *r = &out[i * kResults];
    const uint64_t both = uint64_t(y) << 32 | x;
    EXPECT(r[0] == ((x >> 8 & 0xff) | (x >> 24) << 8 | (y >> 8 & 0xff) << 16 | (y >> 24) << 24));
    EXPECT(r[1] == unsigned(both << z % 32 >> 32));
    EXPECT(r[2] == unsigned(both >> (z < 32 ? z : 32)));
    unsigned reversed = 0;
    for (int k = 0; k < 32; ++k) reversed |= (x >> k & 1) << (31 - k);
    EXPECT(r[3] == reversed);
    EXPECT(r[4] == unsigned(x >> z % 32 == 0 ? 32 : __builtin_clz(x >> z % 32)));
    EXPECT(r[5] == unsigned(__builtin_popcount(x) * 100 + __builtin_ffs(x & 0xff00)));
    EXPECT(r[6] == ((x & y) | (y & z) | (x & z)));
    EXPECT(r[7] == (x >> 5 & 511));
    EXPECT(r[8] == ((y & ~0xfff0u) | (x & 0xfff) << 4));
    EXPECT(r[9] == (z >= 32 ? 1 : x << z));
  }
  OK(cudaFree(d_a));
  OK(cudaFree(d_b));
  OK(cudaFree(d_c));
  OK(cudaFree(d_out));
}
