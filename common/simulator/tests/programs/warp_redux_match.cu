// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Warp-wide reductions in one instruction (redux) and groups of lanes with equal values (match).
//
// needs: compute_80
#include <algorithm>
#include <vector>

#include "expect.h"

struct Seen {
  unsigned sum, least, most, any, all, odd, same, all_same;
  int agree;
};

__global__ void look(const unsigned* in, Seen* out) {
  const unsigned v = in[threadIdx.x];
  Seen s;
  s.sum = __reduce_add_sync(~0u, v);
  s.least = unsigned(__reduce_min_sync(~0u, int(v)));
  s.most = __reduce_max_sync(~0u, v);
  s.any = __reduce_or_sync(~0u, v);
  s.all = __reduce_and_sync(~0u, v);
  s.odd = __reduce_xor_sync(~0u, v);
  s.same = __match_any_sync(~0u, v % 5);
  s.all_same = __match_all_sync(~0u, v >> 16, &s.agree);
  out[threadIdx.x] = s;
}

int main() {
  std::vector<unsigned> in(32);
  for (unsigned i = 0; i < 32; ++i) in[i] = 0xfff00000u + i * i * 77u % 65536u;
  unsigned* d_in;
  Seen* d_out;
  OK(cudaMalloc(&d_in, 32 * sizeof(unsigned)));
  OK(cudaMalloc(&d_out, 32 * sizeof(Seen)));
  OK(cudaMemcpy(d_in, in.data(), 32 * sizeof(unsigned), cudaMemcpyHostToDevice));
  look<<<1, 32>>>(d_in, d_out);
  std::vector<Seen> out(32);
  OK(cudaMemcpy(out.data(), d_out, 32 * sizeof(Seen), cudaMemcpyDeviceToHost));
  unsigned sum = 0, any = 0, all = ~0u, odd = 0;
  int least = int(in[0]);
  for (unsigned v : in) sum += v, any |= v, all &= v, odd ^= v, least = std::min(least, int(v));
  for (int t = 0; t < 32; ++t) {
    unsigned same = 0;
    for (int i = 0; i < 32; ++i) same |= unsigned(in[i] % 5 == in[t] % 5) << i;
    EXPECT(out[t].sum == sum && out[t].any == any && out[t].all == all && out[t].odd == odd);
    EXPECT(out[t].least == unsigned(least) && out[t].most == *std::max_element(in.begin(), in.end()));
    EXPECT(out[t].same == same && out[t].all_same == ~0u && out[t].agree != 0);
  }
  OK(cudaFree(d_in));
  OK(cudaFree(d_out));
}
