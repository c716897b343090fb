// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Exact accounts of device memory, and running out of it: an error that passes, not one that stays.
//
// misuses: frees
#include "expect.h"

__global__ void touch(char* p, size_t n) { p[n - 1] = 1; }

int main() {
  size_t free_before, free_now, total;
  OK(cudaFree(nullptr));
  OK(cudaMemGetInfo(&free_before, &total));
  EXPECT(free_before <= total);
  char *a, *b = nullptr;
  OK(cudaMalloc(&a, total / 4));
  OK(cudaMemGetInfo(&free_now, &total));
  EXPECT(free_before - free_now >= total / 4);
  EXPECT_RESULT(cudaErrorMemoryAllocation, cudaMalloc(&b, total));
  EXPECT(b == nullptr);
  EXPECT_RESULT(cudaErrorMemoryAllocation, cudaPeekAtLastError());
  EXPECT_RESULT(cudaErrorMemoryAllocation, cudaGetLastError());
  OK(cudaGetLastError());
  touch<<<1, 1>>>(a, total / 4);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(a));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaFree(a));  // twice
  OK(cudaMemGetInfo(&free_now, &total));
  EXPECT(free_now == free_before);
  OK(cudaMalloc(&a, 0));
  EXPECT(a == nullptr);
  size_t pitch;
  EXPECT_RESULT(cudaErrorMemoryAllocation, cudaMallocPitch(&a, &pitch, total, 64));
}
