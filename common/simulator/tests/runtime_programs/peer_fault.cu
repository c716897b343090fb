// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A kernel that touches another GPU's memory without leave faults; the other GPU goes on.
#include "expect.h"

__global__ void write(int* p) { *p = 1; }

int main() {
  int *there, *here;
  OK(cudaSetDevice(1));
  OK(cudaMalloc(&there, 4));
  OK(cudaSetDevice(0));
  write<<<1, 1>>>(there);
  EXPECT_RESULT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  EXPECT_RESULT(cudaErrorIllegalAddress, cudaMalloc(&here, 4));
  OK(cudaSetDevice(1));
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);  // this thread's last one
  write<<<1, 1>>>(there);
  OK(cudaDeviceSynchronize());
  EXPECT_RESULT(cudaErrorIllegalAddress, cudaSetDevice(0));
  OK(cudaDeviceReset());
  OK(cudaMalloc(&here, 4));
  write<<<1, 1>>>(here);
  OK(cudaDeviceSynchronize());
}
