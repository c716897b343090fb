// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Constant memory: initialised at compile time, written by the host in whole and in part, read by address.
#include <cstring>

#include "expect.h"

struct Filter {
  float weight[5];
  int shift;
};
__constant__ Filter c_filter = {{0.1f, 0.2f, 0.4f, 0.2f, 0.1f}, 3};
__constant__ int c_table[2][4];
__constant__ unsigned char c_bytes[65536 - 256];  // nearly all of the 64 KB

__global__ void use(float* f, int* t, int n) {
  const int i = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 5; k++) sum += c_filter.weight[k] * static_cast<float>(i + k);
  f[i] = sum + c_filter.shift;
  const int(*table)[4] = c_table;  // a generic address of constant memory
  t[i] = table[i & 1][i % 4] + c_bytes[i * 1000 % n];
}

int main() {
  float* f;
  int* t;
  OK(cudaMallocManaged(&f, 32 * sizeof(float)));
  OK(cudaMallocManaged(&t, 32 * sizeof(int)));
  const int table[2][4] = {{1, 2, 3, 4}, {50, 60, 70, 80}};
  OK(cudaMemcpyToSymbol(c_table, table, sizeof table));
  static unsigned char bytes[65536 - 256];
  for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = static_cast<unsigned char>(i * 7);
  OK(cudaMemcpyToSymbol(c_bytes, bytes, sizeof bytes));
  const int two = 200;
  OK(cudaMemcpyToSymbol(c_table, &two, sizeof two, 5 * sizeof(int)));  // c_table[1][1]
  use<<<1, 32>>>(f, t, sizeof bytes);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) {
    EXPECT(f[i] > static_cast<float>(i) + 4.9999f && f[i] < static_cast<float>(i) + 5.0001f);
    const int value = (i & 1) == 1 && i % 4 == 1 ? 200 : table[i & 1][i % 4];
    EXPECT(t[i] == value + bytes[i * 1000 % sizeof bytes]);
  }
  Filter back;
  OK(cudaMemcpyFromSymbol(&back, c_filter, sizeof back));
  EXPECT(back.weight[2] == 0.4f && back.shift == 3);
  return 0;
}
