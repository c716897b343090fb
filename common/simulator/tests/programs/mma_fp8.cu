// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// mma.sync on 8-bit floats, e4m3 times e5m2, with float sums.
// needs: compute_89
#include <cuda_fp8.h>

#include "expect.h"

__global__ void multiply(const unsigned* a, const unsigned* b, float* d) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a[g * 8 + t]), "r"(a[(g + 8) * 8 + t]), "r"(a[g * 8 + t + 4]), "r"(a[(g + 8) * 8 + t + 4]),
        "r"(b[g * 8 + t]), "r"(b[g * 8 + t + 4]));
  d[g * 8 + 2 * t] = d0;
  d[g * 8 + 2 * t + 1] = d1;
  d[(g + 8) * 8 + 2 * t] = d2;
  d[(g + 8) * 8 + 2 * t + 1] = d3;
}

int main() {
  __nv_fp8_e4m3* a;
  __nv_fp8_e5m2* b;
  float* d;
  OK(cudaMallocManaged(&a, 16 * 32));
  OK(cudaMallocManaged(&b, 8 * 32));
  OK(cudaMallocManaged(&d, 16 * 8 * sizeof *d));
  for (int i = 0; i < 512; ++i) a[i] = __nv_fp8_e4m3(float(i % 15 - 7) / 8);
  for (int i = 0; i < 256; ++i) b[i] = __nv_fp8_e5m2(float(i % 7 - 3) * 2);
  multiply<<<1, 32>>>(reinterpret_cast<const unsigned*>(a), reinterpret_cast<const unsigned*>(b), d);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      float expected = 0;
      for (int k = 0; k < 32; ++k) expected += float(a[i * 32 + k]) * float(b[j * 32 + k]);
      EXPECT(d[i * 8 + j] == expected);
    }
}
