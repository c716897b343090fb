// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// An instruction that no GPU has, and a program that checks nothing. (Not for a real GPU: ptxas would refuse
// it.)
#include "expect.h"

__global__ void odd(int* p) {
  int value;
  asm("frobnicate.u32 %0, 7;" : "=r"(value));
  *p = value;
}

int main() {
  int* p = nullptr;
  cudaMalloc(&p, 4);
  odd<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  std::printf("done\n");
  return 0;
}
