// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The gradients of 200 tensors, unscaled in one launch: each read once and written once, coalesced. Why is it
// slow?
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kTensors = 200, kEach = 16384, kCount = kTensors * kEach, kThreads = 256;

struct Table {
  int end[kTensors];      // of each tensor, in elements of the flat array
  float scale[kTensors];  // its gradients were multiplied by this
};

__global__ void unscale(const Table* table, float* gradients) {
  const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  int tensor = 0;
  while (table->end[tensor] <= i) ++tensor;
  gradients[i] /= table->scale[tensor];
}

int main() {
  Table host;
  for (int t = 0; t < kTensors; ++t) {
    host.end[t] = (t + 1) * kEach;
    host.scale[t] = 1024;
  }
  Table* table = nullptr;
  float* gradients = nullptr;
  cudaMalloc(&table, sizeof host);
  cudaMalloc(&gradients, sizeof(float) * kCount);
  cudaMemcpy(table, &host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(gradients, 0, sizeof(float) * kCount);
  unscale<<<kCount / kThreads, kThreads>>>(table, gradients);
  cudaDeviceSynchronize();
  cudaFree(table);
  cudaFree(gradients);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
