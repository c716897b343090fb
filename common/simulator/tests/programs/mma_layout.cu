// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// mma.sync as inline PTX: the documented layout says which elements each lane brings and gets.
// needs: compute_80
#include <cuda_fp16.h>

#include "expect.h"

// D (16x8) = A (16x16, rows) B (16x8) + 1. Lane l is number t = l % 4 of group g = l / 4.
__global__ void multiply(const half* a, const half* b, float* d) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  const auto pair = [](half low, half high) {
    const half2 both = __halves2half2(low, high);
    return *reinterpret_cast<const unsigned*>(&both);
  };
  const auto of_a = [&](int row, int k) { return pair(a[row * 16 + k], a[row * 16 + k + 1]); };
  const auto of_b = [&](int k, int column) { return pair(b[k * 8 + column], b[(k + 1) * 8 + column]); };
  const unsigned a0 = of_a(g, 2 * t), a1 = of_a(g + 8, 2 * t), a2 = of_a(g, 2 * t + 8),
                 a3 = of_a(g + 8, 2 * t + 8);
  const unsigned b0 = of_b(2 * t, g), b1 = of_b(2 * t + 8, g);
  float d0 = 1, d1 = 1, d2 = 1, d3 = 1;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  d[g * 8 + 2 * t] = d0;
  d[g * 8 + 2 * t + 1] = d1;
  d[(g + 8) * 8 + 2 * t] = d2;
  d[(g + 8) * 8 + 2 * t + 1] = d3;
}

int main() {
  half *a, *b;
  float* d;
  OK(cudaMallocManaged(&a, 16 * 16 * sizeof *a));
  OK(cudaMallocManaged(&b, 16 * 8 * sizeof *b));
  OK(cudaMallocManaged(&d, 16 * 8 * sizeof *d));
  for (int i = 0; i < 256; ++i) a[i] = float(i % 17 - 8);
  for (int i = 0; i < 128; ++i) b[i] = float(i % 19 - 9) / 4;
  multiply<<<1, 32>>>(a, b, d);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float expected = 1;
      for (int k = 0; k < 16; ++k) expected += float(a[i * 16 + k]) * float(b[k * 8 + j]);
      EXPECT(d[i * 8 + j] == expected);
    }
}
