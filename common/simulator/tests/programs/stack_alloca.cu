// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Memory of a thread from alloca: its size is known only when the thread runs.
#include <vector>

#include "expect.h"

__device__ __noinline__ int sum_of_sorted(const int* in, int n) {
  int* copy = static_cast<int*>(alloca(n * sizeof(int)));
  for (int i = 0; i < n; ++i) {
    int at = i;
    for (; at > 0 && copy[at - 1] > in[i]; --at) copy[at] = copy[at - 1];
    copy[at] = in[i];
  }
  int weighted = 0;
  for (int i = 0; i < n; ++i) weighted += copy[i] * (i + 1);
  return weighted;
}

__global__ void sums(const int* in, int* out) { out[threadIdx.x] = sum_of_sorted(in, threadIdx.x % 17 + 1); }

int main() {
  const int values[17] = {5, 3, 9, -2, 7, 7, 0, 11, -8, 4, 2, 6, 1, 13, -1, 8, 10};
  int *in, *out;
  OK(cudaMallocManaged(&in, sizeof values));
  OK(cudaMallocManaged(&out, 64 * sizeof(int)));
  for (int i = 0; i < 17; ++i) in[i] = values[i];
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  sums<<<1, 64>>>(in, out);
  OK(cudaDeviceSynchronize());
  for (int t = 0; t < 64; ++t) {
    const int n = t % 17 + 1;
    std::vector<int> sorted(values, values + n);
    for (int i = 0; i < n; ++i)
      for (int k = i + 1; k < n; ++k)
        if (sorted[k] < sorted[i]) std::swap(sorted[i], sorted[k]);
    int weighted = 0;
    for (int i = 0; i < n; ++i) weighted += sorted[i] * (i + 1);
    EXPECT(out[t] == weighted);
  }
  OK(cudaFree(in));
  OK(cudaFree(out));
}
