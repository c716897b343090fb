// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Integer dot products of packed bytes and halves (dp4a, dp2a), as 8-bit inference uses them.
#include <cstdint>
#include <vector>

#include "expect.h"

struct Dots {
  int signed4, low2, high2;
  unsigned unsigned4;
};

__global__ void dots(const int* a, const int* b, const int* c, Dots* out) {
  const int i = threadIdx.x;
  out[i].signed4 = __dp4a(a[i], b[i], c[i]);
  out[i].unsigned4 = __dp4a(unsigned(a[i]), unsigned(b[i]), unsigned(c[i]));
  const short2 halves = make_short2(short(a[i]), short(a[i] >> 16));
  const char4 bytes = make_char4(char(b[i]), char(b[i] >> 8), char(b[i] >> 16), char(b[i] >> 24));
  out[i].low2 = __dp2a_lo(halves, bytes, c[i]);
  out[i].high2 = __dp2a_hi(halves, bytes, c[i]);
}

int main() {
  constexpr int n = 64;
  std::vector<int> v[3];
  uint32_t state = 1;
  for (auto& list : v)
    for (int i = 0; i < n; ++i) list.push_back(int(state = state * 1664525u + 1013904223u));
  int* d[3];
  Dots* d_out;
  for (int k = 0; k < 3; ++k) {
    OK(cudaMalloc(&d[k], n * sizeof(int)));
    OK(cudaMemcpy(d[k], v[k].data(), n * sizeof(int), cudaMemcpyHostToDevice));
  }
  OK(cudaMalloc(&d_out, n * sizeof(Dots)));
  dots<<<1, n>>>(d[0], d[1], d[2], d_out);
  std::vector<Dots> out(n);
  OK(cudaMemcpy(out.data(), d_out, n * sizeof(Dots), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) {
    const int a = v[0][i], b = v[1][i], c = v[2][i];
    uint32_t signed4 = c, unsigned4 = c, two[2] = {uint32_t(c), uint32_t(c)};
    for (int k = 0; k < 4; ++k) {
      signed4 += uint32_t(int8_t(a >> 8 * k) * int8_t(b >> 8 * k));
      unsigned4 += uint32_t(uint8_t(a >> 8 * k)) * uint8_t(b >> 8 * k);
      two[k / 2] += uint32_t(int16_t(a >> 16 * (k % 2)) * int8_t(b >> 8 * k));
    }
    EXPECT(uint32_t(out[i].signed4) == signed4 && out[i].unsigned4 == unsigned4);
    EXPECT(uint32_t(out[i].low2) == two[0] && uint32_t(out[i].high2) == two[1]);
  }
  for (int* p : d) OK(cudaFree(p));
  OK(cudaFree(d_out));
}
