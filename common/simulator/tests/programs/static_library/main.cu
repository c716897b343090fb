// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Device code in a static library, linked into a program in two steps with nvcc -dlink as build systems do
// it.
// nvcc: -rdc=true
#include "expect.h"

__device__ float polynomial(float x);  // in the library
extern __device__ float g_coefficients[3];

__global__ void evaluate(float* p) { p[threadIdx.x] = polynomial(static_cast<float>(threadIdx.x)); }

int main() {
  float* p;
  OK(cudaMallocManaged(&p, 32 * sizeof(float)));
  const float coefficients[3] = {1, 2, 3};
  OK(cudaMemcpyToSymbol(g_coefficients, coefficients, sizeof coefficients));
  evaluate<<<1, 32>>>(p);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) EXPECT(p[i] == 1.0f + 2.0f * i + 3.0f * i * i);
  return 0;
}
