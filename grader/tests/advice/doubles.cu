// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A constant without f makes the arithmetic double; with it everything stays float.
#include <cuda_runtime.h>

__global__ void by_accident(float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = y[i];
  for (int k = 0; k < 64; ++k) v = v * 0.999 + 0.1;  // advice: accidental-double
  y[i] = v;
}

__global__ void on_purpose(float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = y[i];
  for (int k = 0; k < 64; ++k) v = v * 0.999f + 0.1f;
  y[i] = v;
}

int main() {
  const int n = 1 << 18;
  float* y;
  cudaMalloc(&y, sizeof(float) * n);
  cudaMemset(y, 0, sizeof(float) * n);
  by_accident<<<n / 256, 256>>>(y);
  on_purpose<<<n / 256, 256>>>(y);
  return cudaDeviceSynchronize();
}
