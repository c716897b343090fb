// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// assert in a kernel: silent while it holds; kernels that check themselves everywhere give the same results.
#include <cassert>

#include "expect.h"

__device__ int checked_index(int i, int n) {
  assert(i >= 0 && i < n);
  return i;
}

__global__ void reverse(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(gridDim.x * blockDim.x >= n && "the grid covers the array");
  if (i >= n) return;
  out[checked_index(n - 1 - i, n)] = in[checked_index(i, n)];
}

int main() {
  const int n = 100;
  int *in, *out;
  OK(cudaMallocManaged(&in, n * sizeof(int)));
  OK(cudaMallocManaged(&out, n * sizeof(int)));
  for (int i = 0; i < n; i++) in[i] = i * i;
  reverse<<<4, 32>>>(in, out, n);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(out[n - 1 - i] == i * i);
  return 0;
}
