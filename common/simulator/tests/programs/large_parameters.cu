// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Kernel parameters of up to 32764 bytes, which devices from compute capability 7.0 on take.
#include "expect.h"

struct Huge {
  int values[8189];
};

__global__ void total(int* out, Huge h) {
  int sum = 0;
  for (int i = threadIdx.x; i < 8189; i += 32) sum += h.values[i];
  atomicAdd(out, sum);
}

int main() {
  int* out;
  OK(cudaMallocManaged(&out, sizeof(int)));
  *out = 0;
  static Huge h;
  int expected = 0;
  for (int i = 0; i < 8189; i++) expected += h.values[i] = i % 100 - 30;
  total<<<1, 32>>>(out, h);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  EXPECT(*out == expected);
  return 0;
}
