// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

#include "counter.h"
#include "expect.h"

__device__ int g_counter = 5;
__constant__ int c_factors[4] = {2, 3, 4, 5};
__managed__ int m_shared_with_host = 1;

static __device__ int s_step = 100;
static __device__ __noinline__ int next(int x) { return x + s_step; }

__device__ int scaled(int x) { return next(largest(x, 0) * c_factors[x % 4]); }

__global__ void touch_managed() { m_shared_with_host = 2 * m_shared_with_host + 1; }

static __global__ void add(int value, int* result) { *result = g_counter += value; }

int add_in_other_file(int value) {
  int* result;
  OK(cudaMallocManaged(&result, sizeof(int)));
  add<<<1, 1>>>(value, result);
  OK(cudaDeviceSynchronize());
  return *result;
}
