// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// SIMD-in-a-word intrinsics: four bytes or two halves of a 32-bit register at a time.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "expect.h"

constexpr int kResults = 10;

__global__ void bytes(const unsigned* a, const unsigned* b, unsigned* out) {
  const unsigned x = a[threadIdx.x], y = b[threadIdx.x];
  unsigned* r = out + threadIdx.x * kResults;
  r[0] = __vadd4(x, y);
  r[1] = __vaddus4(x, y);
  r[2] = __vsubss4(x, y);
  r[3] = __vabsdiffu4(x, y);
  r[4] = __vmins4(x, y);
  r[5] = __vavgu4(x, y);
  r[6] = __vcmpgtu4(x, y);
  r[7] = __vsadu4(x, y);
  r[8] = __vadd2(x, y);
  r[9] = __vmaxu2(x, y);
}

int clamp(int v, int low, int high) { return std::min(std::max(v, low), high); }

int main() {
  constexpr int n = 64;
  std::vector<unsigned> a(n), b(n), out(n * kResults);
  for (int i = 0; i < n; ++i)
    a[i] = 0x9e3779b9u * (i + 1), b[i] = i < 8 ? a[i] ^ 0x80007fffu : 0x85ebca6bu * (i + 3);
  unsigned *d_a, *d_b, *d_out;
  OK(cudaMalloc(&d_a, n * 4));
  OK(cudaMalloc(&d_b, n * 4));
  OK(cudaMalloc(&d_out, n * kResults * 4));
  OK(cudaMemcpy(d_a, a.data(), n * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_b, b.data(), n * 4, cudaMemcpyHostToDevice));
  bytes<<<1, n>>>(d_a, d_b, d_out);
  OK(cudaMemcpy(out.data(), d_out, n * kResults * 4, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    unsigned want[kResults] = {};
    for (int k = 0; k < 4; ++k) {
      const int shift = 8 * k, x = a[i] >> shift & 255, y = b[i] >> shift & 255, sx = int8_t(x),
                sy = int8_t(y);
      const auto put = [&](int result, int v) { want[result] |= unsigned(v & 255) << shift; };
      put(0, x + y);
      put(1, std::min(x + y, 255));
      put(2, clamp(sx - sy, -128, 127));
      put(3, std::abs(x - y));
      put(4, std::min(sx, sy));
      put(5, (x + y + 1) / 2);
      put(6, x > y ? 255 : 0);
      want[7] += std::abs(x - y);
    }
    for (int shift : {0, 16}) {
      const unsigned x = a[i] >> shift & 0xffff, y = b[i] >> shift & 0xffff;
      want[8] |= (x + y & 0xffff) << shift;
      want[9] |= std::max(x, y) << shift;
    }
    for (int k = 0; k < kResults; ++k) EXPECT(out[i * kResults + k] == want[k]);
  }
  OK(cudaFree(d_a));
  OK(cudaFree(d_b));
  OK(cudaFree(d_out));
}
