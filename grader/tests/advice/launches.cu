// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// program advice: tiny-launches
// A thousand launches of next to nothing.
#include <cuda_runtime.h>

__global__ void tiny(float* y) { y[threadIdx.x] += 1.0f; }

int main() {
  float* y;
  cudaMalloc(&y, sizeof(float) * 256);
  cudaMemset(y, 0, sizeof(float) * 256);
  for (int k = 0; k < 1000; ++k) tiny<<<1, 256>>>(y);
  return cudaDeviceSynchronize();
}
