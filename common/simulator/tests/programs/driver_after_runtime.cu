// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The runtime initialises the driver: after its first call a program needs no cuInit of its own.
// nvcc: -lcuda
#include "driver.h"

int main() {
  CUcontext context = nullptr;
  EXPECT_DRIVER(CUDA_ERROR_NOT_INITIALIZED, cuCtxGetCurrent(&context));
  OK(cudaFree(nullptr));
  DRIVER_OK(cuCtxGetCurrent(&context));
  EXPECT(context != nullptr);
  CUmodule module;
  CUfunction function;
  DRIVER_OK(cuModuleLoadData(&module, kSaxpy));
  DRIVER_OK(cuModuleGetFunction(&function, module, "saxpy"));
  DRIVER_OK(cuModuleUnload(module));
}
