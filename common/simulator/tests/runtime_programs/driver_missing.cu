// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Calls a function that the simulated driver lacks, twice.
#include "driver.h"

int main() {
  DRIVER_OK(cuInit(0));
  CUcontext context;
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  CUarray array;
  const CUDA_ARRAY_DESCRIPTOR facts{16, 16, CU_AD_FORMAT_FLOAT, 1};
  EXPECT_DRIVER(CUDA_ERROR_NOT_SUPPORTED, cuArrayCreate(&array, &facts));
  EXPECT_DRIVER(CUDA_ERROR_NOT_SUPPORTED, cuArrayCreate(&array, &facts));
  DRIVER_OK(cuCtxDestroy(context));
  return 0;
}
