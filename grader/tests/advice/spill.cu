// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// nvcc: -maxrregcount=16 -gencode arch=compute_80,code=sm_80
// More values alive than there are registers.
#include <cuda_runtime.h>

__global__ void crowded(const float* x, float* y) {  // advice: register-spill
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) v[k] = x[i + k * 4096];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k)
#pragma unroll
    for (int m = 0; m < 32; ++m) sum += v[k] * v[(k + m) % 32] * m;
  y[i] = sum;
}

int main() {
  const int n = 1 << 17;
  float *x, *y;
  cudaMalloc(&x, sizeof(float) * 2 * n);
  cudaMalloc(&y, sizeof(float) * n);
  cudaMemset(x, 0, sizeof(float) * 2 * n);
  crowded<<<n / 256, 256>>>(x, y);
  return cudaDeviceSynchronize();
}
