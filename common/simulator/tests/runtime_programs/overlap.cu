// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Copies and kernels for a timeline: a pinned copy in one stream beside a kernel in another, a kernel that
// waits for the copy through an event, and the same copy from pageable memory.
#include <cstdio>
#include <vector>

#include "expect.h"

__global__ void busy(float* p, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = p[i];
  for (int k = 0; k < rounds; k++) x = x * 0.5f + 1.0f;
  p[i] = x;
}

__global__ void consume(float* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1.0f;
}

int main() {
  const int n = 1 << 16, big = 1 << 20;
  float *pinned, *first, *second;
  std::vector<float> pageable(big, 1.0f);
  OK(cudaMallocHost(&pinned, big * sizeof(float)));
  for (int i = 0; i < big; i++) pinned[i] = 1.0f;
  OK(cudaMalloc(&first, big * sizeof(float)));
  OK(cudaMalloc(&second, n * sizeof(float)));
  OK(cudaMemset(second, 0, n * sizeof(float)));
  cudaStream_t copies, kernels;
  OK(cudaStreamCreate(&copies));
  OK(cudaStreamCreate(&kernels));
  cudaEvent_t arrived;
  OK(cudaEventCreate(&arrived));
  OK(cudaDeviceSynchronize());

  OK(cudaMemcpyAsync(first, pinned, big * sizeof(float), cudaMemcpyHostToDevice, copies));
  OK(cudaEventRecord(arrived, copies));
  busy<<<n / 256, 256, 0, kernels>>>(second, n, 1000);
  OK(cudaStreamWaitEvent(kernels, arrived, 0));
  consume<<<n / 256, 256, 0, kernels>>>(first, n);
  OK(cudaDeviceSynchronize());

  OK(cudaMemcpyAsync(first, pageable.data(), big * sizeof(float), cudaMemcpyHostToDevice, copies));
  busy<<<n / 256, 256, 0, kernels>>>(second, n, 1000);
  OK(cudaDeviceSynchronize());
  return 0;
}
