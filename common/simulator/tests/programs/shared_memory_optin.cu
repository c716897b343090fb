// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Dynamic shared memory beyond 48 KB: refused by default, allowed after an opt-in, up to the device's limit.
#include "expect.h"

extern __shared__ unsigned s_words[];

__global__ void fill(unsigned* out, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) s_words[i] = i * 2654435761u;
  __syncthreads();
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum ^= s_words[n - 1 - i];
  atomicXor(out, sum);
}

int main() {
  int usual = 0, most = 0;
  OK(cudaDeviceGetAttribute(&usual, cudaDevAttrMaxSharedMemoryPerBlock, 0));
  OK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  EXPECT(usual == 48 * 1024 && most > usual);
  unsigned* out;
  OK(cudaMallocManaged(&out, sizeof(unsigned)));
  for (const int bytes : {usual, usual + 4, most}) {
    *out = 0;
    if (bytes > usual) {
      fill<<<1, 256, bytes>>>(out, bytes / 4);
      EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
      OK(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    }
    fill<<<1, 256, bytes>>>(out, bytes / 4);
    OK(cudaGetLastError());
    OK(cudaDeviceSynchronize());
    unsigned expected = 0;
    for (int i = 0; i < bytes / 4; i++) expected ^= i * 2654435761u;
    EXPECT(*out == expected);
  }
  EXPECT_RESULT(cudaErrorInvalidValue,
                cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1));
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, fill));
  EXPECT(attributes.maxDynamicSharedSizeBytes == most);
  return 0;
}
