// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

#include "expect.h"

static __global__ void work(int* p) { *p *= 2; }

int twice(int x) {
  int* p;
  OK(cudaMallocManaged(&p, sizeof(int)));
  *p = x;
  work<<<1, 1>>>(p);
  OK(cudaDeviceSynchronize());
  x = *p;
  OK(cudaFree(p));
  return x;
}
