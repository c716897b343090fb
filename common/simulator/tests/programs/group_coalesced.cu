// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The threads that happen to be together (coalesced_threads): one of them reserves places for all with a
// single atomic. Then the threads of a warp with equal labels as groups of their own (labeled_partition).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <algorithm>
#include <vector>

#include "expect.h"

namespace cg = cooperative_groups;

__global__ void keep_odd(const int* in, int n, int* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 2 == 0) return;
  const cg::coalesced_group odd = cg::coalesced_threads();
  int place = 0;
  if (odd.thread_rank() == 0) place = atomicAdd(count, int(odd.size()));
  out[odd.shfl(place, 0) + odd.thread_rank()] = in[i];
}

__global__ void sum_by_label(const int* in, int* sums) {
  const int label = threadIdx.x % 5;
  const auto group = cg::labeled_partition(cg::coalesced_threads(), label);
  sums[threadIdx.x] = cg::reduce(group, in[threadIdx.x], cg::plus<int>());
}

int main() {
  constexpr int n = 1000;
  std::vector<int> in(n), expected, got(n), sums(32);
  for (int i = 0; i < n; ++i) in[i] = i * i % 97;
  for (int v : in)
    if (v % 2 != 0) expected.push_back(v);
  int *d_in, *d_out, *d_count, count = 0;
  OK(cudaMalloc(&d_in, n * sizeof(int)));
  OK(cudaMalloc(&d_out, n * sizeof(int)));
  OK(cudaMalloc(&d_count, sizeof(int)));
  OK(cudaMemset(d_count, 0, sizeof(int)));
  OK(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  keep_odd<<<(n + 127) / 128, 128>>>(d_in, n, d_out, d_count);
  OK(cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost));
  EXPECT(count == int(expected.size()));
  OK(cudaMemcpy(got.data(), d_out, count * sizeof(int), cudaMemcpyDeviceToHost));
  got.resize(count);
  std::sort(got.begin(), got.end());
  std::sort(expected.begin(), expected.end());
  EXPECT(got == expected);
  sum_by_label<<<1, 32>>>(d_in, d_out);
  OK(cudaMemcpy(sums.data(), d_out, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 32; ++t) {
    int sum = 0;
    for (int i = t % 5; i < 32; i += 5) sum += in[i];
    EXPECT(sums[t] == sum);
  }
  OK(cudaFree(d_in));
  OK(cudaFree(d_out));
  OK(cudaFree(d_count));
}
