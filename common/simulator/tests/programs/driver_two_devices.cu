// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver API on two devices: a context on each, copies between them, kernels that read the other's
// memory.
// nvcc: -lcuda
// run: --gpus 2
#include "driver.h"

static void launch(CUfunction saxpy, CUdeviceptr x, CUdeviceptr y, CUresult expected) {
  float a = 1;
  unsigned n = 1;
  void* parameters[] = {&x, &y, &a, &n};
  EXPECT_DRIVER(expected, cuLaunchKernel(saxpy, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
}

int main() {
  DRIVER_OK(cuInit(0));
  int devices = 0;
  DRIVER_OK(cuDeviceGetCount(&devices));
  if (devices < 2) return 0;
  CUcontext first, second, now;
  CUdeviceptr x, y;
  DRIVER_OK(cuCtxCreate(&first, nullptr, 0, 0));
  DRIVER_OK(cuMemAlloc(&x, 4));
  DRIVER_OK(cuMemsetD32(x, 0x3f800000, 1));  // 1.0f
  DRIVER_OK(cuCtxCreate(&second, nullptr, 0, 1));
  DRIVER_OK(cuMemAlloc(&y, 4));
  int device = -1;
  OK(cudaGetDevice(&device));  // the runtime follows the context
  EXPECT(device == 1);
  DRIVER_OK(cuMemcpyPeer(y, second, x, first, 4));
  float value = 0;
  DRIVER_OK(cuMemcpyDtoH(&value, y, 4));
  EXPECT(value == 1);

  CUmodule module;
  CUfunction saxpy;
  DRIVER_OK(cuModuleLoadData(&module, kSaxpy));
  DRIVER_OK(cuModuleGetFunction(&saxpy, module, "saxpy"));
  int can = 0;
  DRIVER_OK(cuDeviceCanAccessPeer(&can, 1, 0));
  if (can) {
    DRIVER_OK(cuCtxEnablePeerAccess(first, 0));
    launch(saxpy, x, y, CUDA_SUCCESS);
    DRIVER_OK(cuMemcpyDtoH(&value, y, 4));
    EXPECT(value == 2);
    DRIVER_OK(cuCtxDisablePeerAccess(first));
  }
  DRIVER_OK(cuMemFree(y));
  DRIVER_OK(cuCtxDestroy(second));
  DRIVER_OK(cuCtxGetCurrent(&now));
  EXPECT(now == first);
  DRIVER_OK(cuMemFree(x));
  DRIVER_OK(cuCtxDestroy(first));
  OK(cudaSetDevice(1));  // the driver follows the runtime
  DRIVER_OK(cuCtxGetDevice(&device));
  EXPECT(device == 1);
  return 0;
}
