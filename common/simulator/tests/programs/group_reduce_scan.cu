// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Reductions and prefix sums of cooperative groups, for tiles and with several operators.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <algorithm>
#include <vector>

#include "expect.h"

namespace cg = cooperative_groups;

struct Results {
  int sum, least, most, both, scan_in, scan_ex;
  float total;
};

__global__ void reduce_scan(const int* in, Results* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int v = in[threadIdx.x];
  Results r;
  r.sum = cg::reduce(tile, v, cg::plus<int>());
  r.least = cg::reduce(tile, v, cg::less<int>());
  r.most = cg::reduce(tile, v, cg::greater<int>());
  r.both = cg::reduce(tile, v, cg::bit_and<int>());
  r.total = cg::reduce(tile, 0.5f * v, cg::plus<float>());
  r.scan_in = cg::inclusive_scan(tile, v);
  r.scan_ex = cg::exclusive_scan(tile, v, cg::plus<int>());
  out[threadIdx.x] = r;
}

int main() {
  constexpr int n = 64;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 37 + 11) % 101 | 8;
  int* d_in;
  Results* d_out;
  OK(cudaMalloc(&d_in, n * sizeof(int)));
  OK(cudaMalloc(&d_out, n * sizeof(Results)));
  OK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  reduce_scan<<<1, n>>>(d_in, d_out);
  std::vector<Results> out(n);
  OK(cudaMemcpy(out.data(), d_out, n * sizeof(Results), cudaMemcpyDeviceToHost));
  for (int t = 0; t < n; ++t) {
    const int first = t / 16 * 16;
    int sum = 0, least = in[first], most = in[first], both = -1, before = 0;
    for (int i = first; i < first + 16; ++i) {
      if (i < t) before += in[i];
      sum += in[i];
      least = std::min(least, in[i]);
      most = std::max(most, in[i]);
      both &= in[i];
    }
    EXPECT(out[t].sum == sum && out[t].least == least && out[t].most == most && out[t].both == both);
    EXPECT(out[t].total == 0.5f * sum);
    EXPECT(out[t].scan_in == before + in[t] && out[t].scan_ex == before);
  }
  OK(cudaFree(d_in));
  OK(cudaFree(d_out));
}
