// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A program that ends in the middle: memory, streams and events of every kind still alive, work still in
// flight.
#include "expect.h"

__global__ void work(float* p, int n) {
  for (int i = 0; i < 100; i++) p[(blockIdx.x * blockDim.x + threadIdx.x) % n] += 1.0f;
}

int main() {
  const int n = 1 << 16;
  float *device, *pinned, *managed;
  OK(cudaMalloc(&device, n * sizeof(float)));
  OK(cudaMallocHost(&pinned, n * sizeof(float)));
  OK(cudaMallocManaged(&managed, n * sizeof(float)));
  cudaStream_t stream;
  cudaEvent_t event;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaEventCreate(&event));
  for (int i = 0; i < n; i++) pinned[i] = 1;
  OK(cudaMemcpyAsync(device, pinned, n * sizeof(float), cudaMemcpyHostToDevice, stream));
  work<<<n / 256, 256, 0, stream>>>(device, n);
  OK(cudaEventRecord(event, stream));
  OK(cudaMemcpyAsync(pinned, device, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  work<<<n / 256, 256>>>(managed, n);
  std::exit(0);
}
