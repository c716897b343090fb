// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Bytes in flight: each thread has one load under way, and waits for it before the next; then a load for each
// thread.
#include <cuda_runtime.h>

__global__ void one_at_a_time(const int* next, int* y, int steps) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = at;
  for (int k = 0; k < steps; ++k) at = next[at];  // advice: latency-bound
  y[first] = at;
}

__global__ void all_at_once(const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}

__global__ void link(int* next, int n, int distance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  next[i] = (i + distance) & (n - 1);
}

int main() {
  const int n = 1 << 21;
  int *x, *y;
  cudaMalloc(&x, sizeof(int) * n);
  cudaMalloc(&y, sizeof(int) * n);
  link<<<n / 256, 256>>>(x, n, 108 * 128);
  one_at_a_time<<<108, 128>>>(x, y, 100);
  all_at_once<<<n / 256, 256>>>(x, y);
  return cudaDeviceSynchronize();
}
