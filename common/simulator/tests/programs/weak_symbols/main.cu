// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Definitions in headers: inline functions, inline variables and variable templates exist once in the
// program, however many files include them.
// nvcc: -rdc=true
#include "common.h"
#include "expect.h"

__global__ void here(int* out) {
  out[0] = count();
  out[1] = g_setting<int>;
  g_setting<int> = 50;
}

int main() {
  int* out;
  OK(cudaMallocManaged(&out, 4 * sizeof(int)));
  here<<<1, 1>>>(out);
  there(out + 2);
  OK(cudaDeviceSynchronize());
  EXPECT(out[0] == 1);  // the first call of count()
  EXPECT(out[2] == 2);  // the second: the counter is the same one
  EXPECT(out[1] == 40);
  EXPECT(out[3] == 50);  // what the other file's kernel wrote
  return 0;
}
