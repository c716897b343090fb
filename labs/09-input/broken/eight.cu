// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Bytes become halves, eight pixels of one colour a thread: each byte is read once, each half written once.
// Why is it slow?
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kPixels = 1 << 24, kEach = 8;

__global__ void convert(const unsigned char* bytes, half* halves) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * kEach;
  for (int k = 0; k < kEach; ++k) halves[first + k] = __float2half((bytes[first + k] - 118.0F) * 0.017F);
}

int main() {
  unsigned char* bytes = nullptr;
  half* halves = nullptr;
  cudaMalloc(&bytes, kPixels);
  cudaMalloc(&halves, kPixels * sizeof(half));
  cudaMemset(bytes, 128, kPixels);
  convert<<<kPixels / kEach / 256, 256>>>(bytes, halves);
  cudaDeviceSynchronize();
  cudaFree(bytes);
  cudaFree(halves);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
