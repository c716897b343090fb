// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A division by a number that is known only at run time, against one that is known to the compiler.
#include <cuda_runtime.h>

__global__ void divided(int* y, int divisor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = y[i] + i;
  for (int k = 0; k < 64; ++k) v = (v / divisor) ^ (v + k);  // advice: slow-arithmetic
  y[i] = v;
}

__global__ void known(int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = y[i] + i;
  for (int k = 0; k < 64; ++k) v = (v / 7) ^ (v + k);
  y[i] = v;
}

int main() {
  const int n = 1 << 18;
  int* y;
  cudaMalloc(&y, sizeof(int) * n);
  cudaMemset(y, 0, sizeof(int) * n);
  divided<<<n / 256, 256>>>(y, 7);
  known<<<n / 256, 256>>>(y);
  return cudaDeviceSynchronize();
}
