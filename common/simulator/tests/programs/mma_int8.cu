// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// mma.sync on bytes, m16n8k32: signed times unsigned, and .satfinite, which clamps where plain sums wrap.
// needs: compute_80
#include <climits>

#include "expect.h"

template <bool kClamp>
__global__ void multiply(const unsigned* a, const unsigned* b, int start, int* d) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;  // a register holds four bytes of a row of 32
  const unsigned a0 = a[g * 8 + t], a1 = a[(g + 8) * 8 + t], a2 = a[g * 8 + t + 4],
                 a3 = a[(g + 8) * 8 + t + 4];
  const unsigned b0 = b[g * 8 + t], b1 = b[g * 8 + t + 4];  // B by columns
  int d0 = start, d1 = start, d2 = start, d3 = start;
  if (kClamp)
    asm("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
        "%9}, "
        "{%0, %1, %2, %3};"
        : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  else
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  d[g * 8 + 2 * t] = d0;
  d[g * 8 + 2 * t + 1] = d1;
  d[(g + 8) * 8 + 2 * t] = d2;
  d[(g + 8) * 8 + 2 * t + 1] = d3;
}

int main() {
  signed char* a;
  unsigned char* b;
  int* d;
  OK(cudaMallocManaged(&a, 16 * 32));
  OK(cudaMallocManaged(&b, 8 * 32));
  OK(cudaMallocManaged(&d, 16 * 8 * sizeof *d));
  for (int i = 0; i < 512; ++i) a[i] = static_cast<signed char>(i * 29);
  for (int i = 0; i < 256; ++i) b[i] = static_cast<unsigned char>(i * 53);
  for (const bool clamp : {false, true}) {
    const int start = INT_MAX - 1000;
    const auto* words_a = reinterpret_cast<const unsigned*>(a);
    const auto* words_b = reinterpret_cast<const unsigned*>(b);
    if (clamp)
      multiply<true><<<1, 32>>>(words_a, words_b, start, d);
    else
      multiply<false><<<1, 32>>>(words_a, words_b, start, d);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 8; ++j) {
        long long sum = start;
        for (int k = 0; k < 32; ++k) sum += a[i * 32 + k] * b[j * 32 + k];
        EXPECT(d[i * 8 + j] == (clamp && sum > INT_MAX ? INT_MAX : static_cast<int>(sum)));
      }
  }
}
