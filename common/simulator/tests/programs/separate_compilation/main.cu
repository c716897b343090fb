// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Separate compilation: kernels, device functions, variables and constants defined in one file and used in
// another.
// nvcc: -rdc=true
#include "counter.h"
#include "expect.h"

/// Each file has its own variable and function of these names.
static __device__ int s_step = 1;
static __device__ __noinline__ int next(int x) { return x + s_step; }

__global__ void advance(int* out) {
  const int i = threadIdx.x;
  atomicAdd(&g_counter, next(i));
  out[i] = scaled(i) + next(i) + largest(i, 10) + c_factors[i % 4];
  if (out == nullptr) s_step = 2;  // never: keeps the variable from becoming a constant
}

int main() {
  int* out;
  OK(cudaMallocManaged(&out, 32 * sizeof(int)));
  advance<<<1, 32>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++)
    EXPECT(out[i] == i * (i % 4 + 2) + 100 + i + 1 + (i > 10 ? i : 10) + (i % 4 + 2));
  int counter = 0;
  OK(cudaMemcpyFromSymbol(&counter, g_counter, sizeof counter));  // a symbol that another file defines
  EXPECT(counter == 5 + 32 * 31 / 2 + 32);
  EXPECT(add_in_other_file(7) == counter + 7);
  OK(cudaMemcpyFromSymbol(&counter, g_counter, sizeof counter));
  EXPECT(counter == 5 + 32 * 31 / 2 + 32 + 7);
  m_shared_with_host = 20;
  touch_managed<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  EXPECT(m_shared_with_host == 41);
  return 0;
}
