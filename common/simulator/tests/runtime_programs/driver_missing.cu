// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Calls a function that the simulated driver lacks, twice.
#include "driver.h"

int main() {
  DRIVER_OK(cuInit(0));
  CUcontext context;
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  CUmemGenericAllocationHandle handle;
  CUmulticastObjectProp wanted{};
  EXPECT_DRIVER(CUDA_ERROR_NOT_SUPPORTED, cuMulticastCreate(&handle, &wanted));
  EXPECT_DRIVER(CUDA_ERROR_NOT_SUPPORTED, cuMulticastCreate(&handle, &wanted));
  DRIVER_OK(cuCtxDestroy(context));
  return 0;
}
