// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A first CUDA program, explained in docs/cuda-basics.md.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void who() {
  printf("block %d of %d, thread %d of %d\n", blockIdx.x, gridDim.x, threadIdx.x, blockDim.x);
}

__global__ void square(const int* in, int* out) {
  const unsigned me = threadIdx.x;
  out[me] = in[me] * in[me];
}

int main() {
  who<<<2, 3>>>();
  cudaDeviceSynchronize();

  constexpr int kCount = 64;
  int numbers[kCount];
  for (int i = 0; i < kCount; ++i) numbers[i] = i;

  int *d_in, *d_out;  // d_: addresses on the device
  cudaMalloc(&d_in, sizeof numbers);
  cudaMalloc(&d_out, sizeof numbers);
  cudaMemcpy(d_in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  square<<<1, kCount>>>(d_in, d_out);
  cudaMemcpy(numbers, d_out, sizeof numbers, cudaMemcpyDeviceToHost);
  printf("63 squared is %d\n", numbers[63]);

  cudaFree(d_in);
  cudaFree(d_out);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) printf("CUDA says: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
