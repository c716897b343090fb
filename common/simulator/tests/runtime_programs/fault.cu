// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A kernel that writes out of bounds: the launch succeeds, the next synchronising call fails, and so does
// every call after it, until the device is reset.
#include "expect.h"

__global__ void fill(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) p[i] = i;  // one too many
}

int main() {
  int* p = nullptr;
  OK(cudaMalloc(&p, 1024));
  fill<<<2, 256>>>(p, 256);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT_RESULT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);  // for good
  int* q = nullptr;
  EXPECT_RESULT(cudaErrorIllegalAddress, cudaMalloc(&q, 4));
  EXPECT_RESULT(cudaErrorIllegalAddress, cudaFree(p));
  fill<<<1, 32>>>(p, 31);
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);

  OK(cudaDeviceReset());
  EXPECT(cudaGetLastError() == cudaSuccess);
  OK(cudaMalloc(&p, 1024));
  fill<<<1, 256>>>(p, 255);
  OK(cudaDeviceSynchronize());
  return 0;
}
