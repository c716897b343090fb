// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A device whose kernels touch mapped memory that only another device may access faults, also where the
// memory is its own.
#include "mapped_devices.h"

int main() {
  CUcontext contexts[2];
  size_t unit = 0;
  if (!start_two_devices(contexts, unit)) return 0;
  CUdeviceptr at = 0, there = 0;
  DRIVER_OK(cuMemAddressReserve(&at, unit, 0, 0, 0));
  (void)map_piece(at, unit, 1);
  DRIVER_OK(allow(at, unit, 0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  DRIVER_OK(cuMemsetD32(at, 1, unit / sizeof(int)));
  DRIVER_OK(cuCtxSynchronize());
  DRIVER_OK(cuCtxSetCurrent(contexts[1]));
  DRIVER_OK(cuMemAlloc(&there, unit));
  add<<<1, 32>>>(ints(at), ints(there), 32, 0);
  EXPECT_DRIVER(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  return 0;
}
