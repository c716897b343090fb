// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "driver.h"

// For programs in which one range of addresses shows memory of two devices.

/// False where there are no two devices that reach each other.
inline bool start_two_devices(CUcontext (&contexts)[2], size_t& unit) {
  DRIVER_OK(cuInit(0));
  int devices = 0, can = 0;
  DRIVER_OK(cuDeviceGetCount(&devices));
  if (devices < 2) return false;
  DRIVER_OK(cuDeviceCanAccessPeer(&can, 0, 1));
  if (!can) return false;
  for (int device = 0; device < 2; ++device) DRIVER_OK(cuDevicePrimaryCtxRetain(&contexts[device], device));
  DRIVER_OK(cuCtxSetCurrent(contexts[0]));
  const CUmemAllocationProp first = on_device(0);
  DRIVER_OK(cuMemGetAllocationGranularity(&unit, &first, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  return true;
}

inline CUmemGenericAllocationHandle map_piece(CUdeviceptr at, size_t bytes, int device) {
  const CUmemAllocationProp wanted = on_device(device);
  CUmemGenericAllocationHandle piece = 0;
  DRIVER_OK(cuMemCreate(&piece, bytes, &wanted, 0));
  DRIVER_OK(cuMemMap(at, bytes, 0, piece, 0));
  return piece;
}

inline CUresult allow(CUdeviceptr at, size_t bytes, int device, CUmemAccess_flags flags) {
  CUmemAccessDesc access{};
  access.location = on_device(device).location;
  access.flags = flags;
  return cuMemSetAccess(at, bytes, &access, 1);
}

/// Each element is added to one of `to`.
static __global__ void add(const int* from, int* to, int n, int more) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i] + more;
}

inline int* ints(CUdeviceptr at) { return reinterpret_cast<int*>(at); }

inline std::vector<int> ints_at(CUdeviceptr at, size_t bytes) {
  std::vector<int> found(bytes / sizeof(int), -1);
  DRIVER_OK(cuMemcpyDtoH(found.data(), at, bytes));
  return found;
}
