// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A cooperative launch: all blocks are resident at once and wait for each other with this_grid().sync(). Here
// they halve an array again and again until one sum is left, in one kernel.
#include <cooperative_groups.h>

#include <vector>

#include "expect.h"

namespace cg = cooperative_groups;

__global__ void sum_tree(long long* values, int n) {
  cg::grid_group grid = cg::this_grid();
  for (int half = n / 2; half > 0; half /= 2) {
    for (int i = grid.thread_rank(); i < half; i += grid.size()) values[i] += values[i + half];
    grid.sync();  // nobody reads the lower half before everybody has written it
  }
}

int main() {
  constexpr int n = 1 << 14;
  std::vector<long long> values(n);
  for (int i = 0; i < n; ++i) values[i] = i * 7 - 3;
  long long expected = 0, got = 0;
  for (long long v : values) expected += v;
  long long* d_values;
  OK(cudaMalloc(&d_values, n * sizeof(long long)));
  int count = n;
  void* arguments[] = {&d_values, &count};
  for (int blocks : {1, 5, 24}) {
    OK(cudaMemcpy(d_values, values.data(), n * sizeof(long long), cudaMemcpyHostToDevice));
    OK(cudaLaunchCooperativeKernel(sum_tree, dim3(blocks), dim3(128), arguments, 0, nullptr));
    OK(cudaMemcpy(&got, d_values, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got == expected);
  }
  // More blocks than the device holds at once could never meet: refused.
  int per_sm = 0, sms = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, sum_tree, 128, 0));
  OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  EXPECT_RESULT(
      cudaErrorCooperativeLaunchTooLarge,
      cudaLaunchCooperativeKernel(sum_tree, dim3(per_sm * sms + 1), dim3(128), arguments, 0, nullptr));
  cudaGetLastError();
  OK(cudaFree(d_values));
}
