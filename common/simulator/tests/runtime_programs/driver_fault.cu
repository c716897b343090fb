// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A kernel writes where nothing is. Its context is lost; the next one works.
#include "driver.h"

__global__ void poke(int* p) { *p = 1; }

/// Launches the kernel in a context of its own; gives what the context then answers.
static CUresult poke_in_new_context(bool well) {
  CUcontext context;
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  CUdeviceptr p = 64;
  if (well) DRIVER_OK(cuMemAlloc(&p, 4));
  cudaFunction_t function;
  OK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(poke)));
  void* parameters[] = {&p};
  DRIVER_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  const CUresult first = cuCtxSynchronize(), second = cuCtxSynchronize();
  EXPECT(first == second);  // for good
  DRIVER_OK(cuCtxDestroy(context));
  return first;
}

int main() {
  DRIVER_OK(cuInit(0));
  EXPECT_DRIVER(CUDA_ERROR_ILLEGAL_ADDRESS, poke_in_new_context(false));
  EXPECT_DRIVER(CUDA_SUCCESS, poke_in_new_context(true));
  return 0;
}
