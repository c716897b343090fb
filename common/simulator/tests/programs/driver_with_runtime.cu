// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Both APIs in one program: one device, one primary context, one set of streams, events, kernels and errors.
// nvcc: -lcuda
#include <vector>

#include "driver.h"

__device__ int counter = 5;

__global__ void twice(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2;
}

constexpr int kCount = 256;

/// Memory of one API, kernels and copies of both, in one stream.
static void streams_are_shared() {
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  CUdeviceptr p;
  DRIVER_OK(cuMemAlloc(&p, kCount * sizeof(int)));
  DRIVER_OK(cuMemsetD32Async(p, 21, kCount, stream));
  twice<<<1, kCount, 0, stream>>>(reinterpret_cast<int*>(p), kCount);
  std::vector<int> values(kCount);
  DRIVER_OK(cuMemcpyDtoHAsync(values.data(), p, kCount * sizeof(int), stream));
  DRIVER_OK(cuStreamSynchronize(stream));
  for (const int value : values) EXPECT(value == 42);
  OK(cudaFree(reinterpret_cast<void*>(p)));
  OK(cudaStreamDestroy(stream));
}

static void kernels_are_shared() {
  cudaFunction_t function;
  OK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(twice)));
  int* p = nullptr;
  OK(cudaMallocManaged(&p, kCount * sizeof(int)));
  for (int i = 0; i < kCount; i++) p[i] = i;
  int n = kCount;
  void* parameters[] = {&p, &n};
  DRIVER_OK(cuLaunchKernel(function, 1, 1, 1, kCount, 1, 1, 0, nullptr, parameters, nullptr));
  DRIVER_OK(cuCtxSynchronize());
  for (int i = 0; i < kCount; i++) EXPECT(p[i] == 2 * i);
  OK(cudaFree(p));
  void* address = nullptr;
  OK(cudaGetSymbolAddress(&address, counter));
  int value = 0;
  DRIVER_OK(cuMemcpyDtoH(&value, reinterpret_cast<CUdeviceptr>(address), sizeof value));
  EXPECT(value == 5);
}

static void errors_are_not() {
  CUdeviceptr p;
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
  EXPECT_RESULT(cudaSuccess, cudaGetLastError());
}

static void contexts() {
  CUcontext runtimes = nullptr, primary = nullptr, own = nullptr, now = nullptr;
  DRIVER_OK(cuCtxGetCurrent(&runtimes));
  DRIVER_OK(cuDevicePrimaryCtxRetain(&primary, 0));
  EXPECT(runtimes == primary);
  DRIVER_OK(cuCtxCreate(&own, nullptr, 0, 0));
  OK(cudaSetDevice(0));  // back to the primary context
  DRIVER_OK(cuCtxGetCurrent(&now));
  EXPECT(now == primary);
  DRIVER_OK(cuCtxDestroy(own));
  DRIVER_OK(cuDevicePrimaryCtxRelease(0));
  int device = -1;
  OK(cudaGetDevice(&device));
  EXPECT(device == 0);
}

int main() {
  DRIVER_OK(cuInit(0));
  CUcontext context = nullptr;
  DRIVER_OK(cuCtxGetCurrent(&context));
  EXPECT(context == nullptr);
  OK(cudaFree(nullptr));  // makes the primary context current
  DRIVER_OK(cuCtxGetCurrent(&context));
  EXPECT(context != nullptr);
  streams_are_shared();
  kernels_are_shared();
  errors_are_not();
  contexts();
  return 0;
}
