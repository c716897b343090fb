// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Memory from malloc becomes reachable for kernels by registration. The device may see it at another address:
// cudaHostGetDevicePointer tells which. Pinned memory has one address for both.
#include <vector>

#include "expect.h"

__global__ void increment(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i]++;
}

int main() {
  const int n = 100000;
  std::vector<int> values(n);
  for (int i = 0; i < n; i++) values[i] = i;
  OK(cudaHostRegister(values.data(), n * sizeof(int), cudaHostRegisterMapped));
  EXPECT_RESULT(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(values.data(), 4, 0));
  int* device;
  OK(cudaHostGetDevicePointer(&device, values.data(), 0));
  for (int i = 0; i < n; i++) EXPECT(values[i] == i);  // nothing was lost
  increment<<<(n + 255) / 256, 256>>>(device, n);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(values[i] == i + 1);
  values[5] = 50;  // the host's writes are seen, too
  increment<<<1, 32>>>(device, 6);
  OK(cudaDeviceSynchronize());
  EXPECT(values[5] == 51);
  cudaPointerAttributes about;
  OK(cudaPointerGetAttributes(&about, values.data()));
  EXPECT(about.type == cudaMemoryTypeHost && about.devicePointer == device &&
         about.hostPointer == values.data());
  OK(cudaHostUnregister(values.data()));
  EXPECT(values[5] == 51 && values[n - 1] == n);  // and stay after it
  EXPECT_RESULT(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(values.data()));
  OK(cudaPointerGetAttributes(&about, values.data()));
  EXPECT(about.type == cudaMemoryTypeUnregistered);

  int* pinned;
  OK(cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable));
  OK(cudaHostGetDevicePointer(&device, pinned, 0));
  unsigned flags = 0;
  OK(cudaHostGetFlags(&flags, pinned));
  EXPECT((flags & cudaHostAllocMapped) && (flags & cudaHostAllocPortable));
  for (int i = 0; i < n; i++) pinned[i] = -i;
  increment<<<(n + 255) / 256, 256>>>(device, n);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(pinned[i] == 1 - i);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaHostGetFlags(&flags, values.data()));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaHostAlloc(&pinned, 4, 0x80));
  OK(cudaFreeHost(pinned));
}
