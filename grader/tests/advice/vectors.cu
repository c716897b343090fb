// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Four neighbouring floats of each thread, one by one and as one vector.
#include <cuda_runtime.h>

__global__ void one_by_one(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) sum += x[4 * i + k];  // advice: scalar-access
  y[i] = sum;
}

__global__ void as_vector(const float4* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 v = x[i];
  y[i] = v.x + v.y + v.z + v.w;
}

int main() {
  const int n = 1 << 18;
  float *x, *y;
  cudaMalloc(&x, sizeof(float) * n * 4);
  cudaMalloc(&y, sizeof(float) * n);
  cudaMemset(x, 0, sizeof(float) * n * 4);
  one_by_one<<<n / 256, 256>>>(x, y);
  as_vector<<<n / 256, 256>>>(reinterpret_cast<const float4*>(x), y);
  return cudaDeviceSynchronize();
}
