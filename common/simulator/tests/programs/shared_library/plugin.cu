// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

#include "expect.h"

__device__ int g_base = 1000;

/// The same name as the kernel of the other library.
static __global__ void work(int* p, int value) { *p = g_base += value; }

extern "C" int plugin(int value) {
  int *p, result;
  OK(cudaMalloc(&p, sizeof(int)));
  work<<<1, 1>>>(p, value);
  OK(cudaMemcpy(&result, p, sizeof result, cudaMemcpyDeviceToHost));
  OK(cudaFree(p));
  return result;
}
