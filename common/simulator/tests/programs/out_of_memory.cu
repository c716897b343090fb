// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Exact accounts of device memory, and running out of it: an error that passes, not one that stays. Other
// programs on a card allocate and free, too: an account is exact in one of many tries.
//
// misuses: frees
#include <chrono>
#include <thread>

#include "expect.h"

__global__ void touch(char* p, size_t n) { p[n - 1] = 1; }

static bool exact_account(size_t bytes) {
  size_t before, during, after, total;
  void* p;
  OK(cudaMemGetInfo(&before, &total));
  EXPECT(before <= total);
  OK(cudaMalloc(&p, bytes));
  OK(cudaMemGetInfo(&during, &total));
  OK(cudaFree(p));
  OK(cudaMemGetInfo(&after, &total));
  return before >= during + bytes && before < during + bytes + (64 << 20) && after == before;
}

int main() {
  OK(cudaFree(nullptr));
  size_t free_now, total;
  OK(cudaMemGetInfo(&free_now, &total));
  bool exact = false;
  for (int i = 0; i < 100 && !exact; i++) {
    if (i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    exact = exact_account(total / 16);
  }
  EXPECT(exact);

  char *a, *b = nullptr;
  OK(cudaMalloc(&a, total / 16));
  EXPECT_RESULT(cudaErrorMemoryAllocation, cudaMalloc(&b, total));
  EXPECT(b == nullptr);
  EXPECT_RESULT(cudaErrorMemoryAllocation, cudaPeekAtLastError());
  EXPECT_RESULT(cudaErrorMemoryAllocation, cudaGetLastError());
  OK(cudaGetLastError());
  touch<<<1, 1>>>(a, total / 16);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(a));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaFree(a));  // twice
  OK(cudaMalloc(&a, 0));
  EXPECT(a == nullptr);
  size_t pitch;
  EXPECT_RESULT(cudaErrorMemoryAllocation, cudaMallocPitch(&a, &pitch, total, 64));
}
