// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Managed memory: one pointer for host and device; prefetching, advice, and reading advice back for a range.
#include "expect.h"

__global__ void square(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= p[i];
}

int main() {
  const int n = 1 << 16;
  const size_t bytes = n * sizeof(int);
  int* p;
  OK(cudaMallocManaged(&p, bytes));
  for (int i = 0; i < n; i++) p[i] = i % 1000;
  const cudaMemLocation device{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  OK(cudaMemAdvise(p, bytes, cudaMemAdviseSetPreferredLocation, device));
  OK(cudaMemAdvise(p, bytes, cudaMemAdviseSetAccessedBy, host));
  OK(cudaMemAdvise(p, bytes / 2, cudaMemAdviseSetReadMostly, device));
  OK(cudaMemPrefetchAsync(p, bytes, device, 0));
  square<<<(n + 255) / 256, 256>>>(p, n);
  OK(cudaMemPrefetchAsync(p, bytes, host, 0));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(p[i] == (i % 1000) * (i % 1000));

  int preferred = -9, half = -9, whole = -9, last = -9, by[2] = {-9, -9};
  OK(cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, p, bytes));
  EXPECT(preferred == 0);
  OK(cudaMemRangeGetAttribute(&half, 4, cudaMemRangeAttributeReadMostly, p, bytes / 2));
  OK(cudaMemRangeGetAttribute(&whole, 4, cudaMemRangeAttributeReadMostly, p, bytes));
  EXPECT(half == 1 && whole == 0);  // only when all of the range has it
  OK(cudaMemRangeGetAttribute(&last, 4, cudaMemRangeAttributeLastPrefetchLocation, p, bytes));
  EXPECT(last == cudaCpuDeviceId);
  OK(cudaMemRangeGetAttribute(by, 8, cudaMemRangeAttributeAccessedBy, p, bytes));
  EXPECT(by[0] == cudaCpuDeviceId && by[1] == cudaInvalidDeviceId);
  OK(cudaMemAdvise(p, bytes, cudaMemAdviseUnsetPreferredLocation, device));
  OK(cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, p, bytes));
  EXPECT(preferred == cudaInvalidDeviceId);

  int* plain;
  OK(cudaMalloc(&plain, 4096));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemPrefetchAsync(plain, 4096, device, 0));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemAdvise(p, 0, cudaMemAdviseSetReadMostly, device));
  EXPECT_RESULT(cudaErrorInvalidDevice, cudaMemPrefetchAsync(p, bytes, {cudaMemLocationTypeDevice, 99}, 0));
  int* none = nullptr;
  OK(cudaMallocManaged(&none, 0));  // CUDA's reference calls it an error
  OK(cudaFree(none));
  OK(cudaFree(plain));
  OK(cudaFree(p));
}
