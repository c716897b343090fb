// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Launches that are refused: reported at once, once, and the device stays usable.
#include <cstring>

#include "expect.h"

__global__ void nothing() {}
__global__ void __launch_bounds__(64) bounded(int* p) { p[threadIdx.x] = 1; }
__global__ void shared_user(int* p) {
  extern __shared__ int s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

static cudaError_t launched() { return cudaGetLastError(); }

int main() {
  int* p = nullptr;
  OK(cudaMalloc(&p, 1024 * sizeof(int)));
  nothing<<<1, 1025>>>();
  EXPECT_RESULT(cudaErrorInvalidValue, cudaPeekAtLastError());
  EXPECT_RESULT(cudaErrorInvalidValue, launched());
  OK(launched());
  nothing<<<0, 32>>>();
  EXPECT_RESULT(cudaErrorInvalidValue, launched());
  nothing<<<1, dim3(1, 1, 65)>>>();
  EXPECT_RESULT(cudaErrorInvalidValue, launched());
  nothing<<<dim3(1, 65536), 32>>>();
  EXPECT_RESULT(cudaErrorInvalidValue, launched());
  bounded<<<1, 128>>>(p);
  EXPECT(launched() != cudaSuccess);

  // Dynamic shared memory: 48 KB, more only on request, never more than the device has.
  shared_user<<<1, 64, 49 * 1024>>>(p);
  EXPECT_RESULT(cudaErrorInvalidValue, launched());
  OK(cudaFuncSetAttribute(shared_user, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
  shared_user<<<1, 64, 49 * 1024>>>(p);
  OK(launched());
  EXPECT_RESULT(cudaErrorInvalidValue,
                cudaFuncSetAttribute(shared_user, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
  int host[64];
  OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++) EXPECT(host[i] == 63 - i);

  // An address that is no kernel's is taken for a kernel's handle.
  EXPECT_RESULT(cudaErrorInvalidResourceHandle,
                cudaLaunchKernel(host, dim3(1), dim3(1), nullptr, 0, nullptr));
  EXPECT_RESULT(cudaErrorInvalidDevice, cudaSetDevice(7));
  int value = 0;
  EXPECT_RESULT(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1));
  cudaGetLastError();
  nothing<<<1, 32>>>();
  OK(cudaDeviceSynchronize());
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(!std::strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"));
  EXPECT(!std::strcmp(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument"));
  EXPECT(!std::strcmp(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code"));
  return 0;
}
