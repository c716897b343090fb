// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// program advice: redundant-copies
// The array goes to the device and back for every step.
#include <cuda_runtime.h>

#include <vector>

__global__ void step(float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = y[i] * 0.5f + 1.0f;
}

int main() {
  const int n = 1 << 18;
  std::vector<float> host(n);
  float* y;
  cudaMalloc(&y, sizeof(float) * n);
  for (int k = 0; k < 10; ++k) {
    cudaMemcpy(y, host.data(), sizeof(float) * n, cudaMemcpyHostToDevice);
    step<<<n / 256, 256>>>(y);
    cudaMemcpy(host.data(), y, sizeof(float) * n, cudaMemcpyDeviceToHost);
  }
  return cudaDeviceSynchronize();
}
