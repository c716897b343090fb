// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver API: addresses and memory apart. Memory that grows without a copy, one piece at two addresses,
// who may reach it, and what is refused.
// nvcc: -lcuda
#include <vector>

#include "driver.h"

__global__ void add(int* p, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += value;
}

static const CUmemAllocationProp kHere = on_device(0);
static size_t unit = 0;

static CUresult allow(CUdeviceptr at, size_t bytes, CUmemAccess_flags flags) {
  CUmemAccessDesc access{};
  access.location = kHere.location;
  access.flags = flags;
  return cuMemSetAccess(at, bytes, &access, 1);
}

static CUmemGenericAllocationHandle map_new(CUdeviceptr at, size_t bytes) {
  CUmemGenericAllocationHandle piece = 0;
  DRIVER_OK(cuMemCreate(&piece, bytes, &kHere, 0));
  DRIVER_OK(cuMemMap(at, bytes, 0, piece, 0));
  DRIVER_OK(allow(at, bytes, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  DRIVER_OK(cuMemsetD8(at, 0, bytes));
  return piece;
}

static std::vector<int> ints_at(CUdeviceptr at, size_t n) {
  std::vector<int> ints(n, -1);
  DRIVER_OK(cuMemcpyDtoH(ints.data(), at, n * sizeof(int)));
  return ints;
}

/// A vector that grows: its address stays, what it held stays, and one copy and one kernel see all of it.
static void grows() {
  CUdeviceptr at = 0;
  DRIVER_OK(cuMemAddressReserve(&at, 8 * unit, 0, 0, 0));
  EXPECT(at % unit == 0);
  const auto first = map_new(at, unit);
  const size_t per_unit = unit / sizeof(int);
  add<<<unsigned(per_unit / 256), 256>>>(reinterpret_cast<int*>(at), int(per_unit), 7);
  const auto second = map_new(at + unit, 2 * unit);
  add<<<unsigned(3 * per_unit / 256), 256>>>(reinterpret_cast<int*>(at), int(3 * per_unit), 1);
  const std::vector<int> all = ints_at(at, 3 * per_unit);
  EXPECT(all[0] == 8 && all[per_unit - 1] == 8 && all[per_unit] == 1 && all[3 * per_unit - 1] == 1);
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(nullptr, at + 3 * unit, 4));  // only reserved
  // Handles may go first: the mapping keeps the memory.
  DRIVER_OK(cuMemRelease(first));
  EXPECT(ints_at(at, 1)[0] == 8);
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(at, 8 * unit));  // something is mapped
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(at + unit, unit));     // half of a mapping
  DRIVER_OK(cuMemUnmap(at, 3 * unit));
  DRIVER_OK(cuMemRelease(second));
  DRIVER_OK(cuMemAddressFree(at, 8 * unit));
}

/// One piece at two addresses: what is written at one is read at the other.
static void two_addresses() {
  CUdeviceptr a = 0, b = 0;
  DRIVER_OK(cuMemAddressReserve(&a, unit, 0, 0, 0));
  DRIVER_OK(cuMemAddressReserve(&b, 2 * unit, 4 * unit, 0, 0));
  EXPECT(b % (4 * unit) == 0 && a != b);
  const auto piece = map_new(a, unit);
  DRIVER_OK(cuMemMap(b + unit, unit, 0, piece, 0));
  DRIVER_OK(allow(b + unit, unit, CU_MEM_ACCESS_FLAGS_PROT_READ));
  add<<<1, 32>>>(reinterpret_cast<int*>(a), 32, 5);
  EXPECT(ints_at(b + unit, 32)[31] == 5);
  CUmemGenericAllocationHandle same = 0;
  DRIVER_OK(cuMemRetainAllocationHandle(&same, reinterpret_cast<void*>(b + unit + 12)));
  EXPECT(same == piece);
  CUmemAllocationProp properties{};
  DRIVER_OK(cuMemGetAllocationPropertiesFromHandle(&properties, same));
  EXPECT(properties.type == CU_MEM_ALLOCATION_TYPE_PINNED && properties.location.id == 0);
  unsigned long long flags = 77;
  DRIVER_OK(cuMemGetAccess(&flags, &kHere.location, b + unit));
  EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READ);
  DRIVER_OK(cuMemGetAccess(&flags, &kHere.location, a));
  EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  DRIVER_OK(cuMemUnmap(a, unit));
  DRIVER_OK(cuMemUnmap(b + unit, unit));
  DRIVER_OK(cuMemRelease(same));
  DRIVER_OK(cuMemRelease(piece));  // two owners: the one that made it, and the one that asked
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemRelease(piece));
  DRIVER_OK(cuMemAddressFree(a, unit));
  DRIVER_OK(cuMemAddressFree(b, 2 * unit));
}

/// Memory is taken when it is made, and given back when nobody has it.
static void is_counted() {
  size_t before = 0, with = 0, after = 0, total = 0;
  DRIVER_OK(cuMemGetInfo(&before, &total));
  CUdeviceptr at = 0;
  DRIVER_OK(cuMemAddressReserve(&at, unit, 0, 0, 0));
  for (int round = 0; round < 2; ++round) {
    const auto piece = map_new(at, unit);
    DRIVER_OK(cuMemGetInfo(&with, &total));
    EXPECT(before - with >= unit);
    add<<<1, 32>>>(reinterpret_cast<int*>(at), 32, 3);
    EXPECT(ints_at(at, 32)[31] == 3);
    DRIVER_OK(cuMemUnmap(at, unit));
    DRIVER_OK(cuMemRelease(piece));
  }
  DRIVER_OK(cuMemAddressFree(at, unit));
  DRIVER_OK(cuMemGetInfo(&after, &total));
  EXPECT(after == before);
  CUmemGenericAllocationHandle piece = 0;
  EXPECT_DRIVER(CUDA_ERROR_OUT_OF_MEMORY, cuMemCreate(&piece, (total / unit + 1) * unit, &kHere, 0));
}

static void refusals() {
  CUdeviceptr at = 0;
  CUmemGenericAllocationHandle piece = 0;
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&at, unit + 1, 0, 0, 0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&at, unit, 3, 0, 0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&at, 0, 0, 0, 0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&piece, unit - 1, &kHere, 0));
  const CUmemAllocationProp nowhere = on_device(99);
  EXPECT_DRIVER(CUDA_ERROR_INVALID_DEVICE, cuMemCreate(&piece, unit, &nowhere, 0));
  DRIVER_OK(cuMemAddressReserve(&at, 2 * unit, 0, 0, 0));
  DRIVER_OK(cuMemCreate(&piece, unit, &kHere, 0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, allow(at, unit, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));  // not mapped
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemMap(at + 2 * unit, unit, 0, piece, 0));  // not reserved
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemMap(at, 2 * unit, 0, piece, 0));         // more than there is
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(at, unit));
  DRIVER_OK(cuMemMap(at, unit, 0, piece, 0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemMap(at, unit, 0, piece, 0));  // taken
  int byte = 0;
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&byte, at, 1));  // mapped, and nobody may reach it
  DRIVER_OK(cuMemUnmap(at, unit));
  DRIVER_OK(cuMemRelease(piece));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(at, unit));  // half of it
  DRIVER_OK(cuMemAddressFree(at, 2 * unit));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(at, 2 * unit));
}

int main() {
  DRIVER_OK(cuInit(0));
  CUcontext context = nullptr;
  DRIVER_OK(cuDevicePrimaryCtxRetain(&context, 0));
  DRIVER_OK(cuCtxSetCurrent(context));
  int able = 0;
  DRIVER_OK(cuDeviceGetAttribute(&able, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
  EXPECT(able == 1);
  DRIVER_OK(cuMemGetAllocationGranularity(&unit, &kHere, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  EXPECT(unit > 0);
  grows();
  two_addresses();
  is_counted();
  refusals();
  DRIVER_OK(cuDevicePrimaryCtxRelease(0));
  return 0;
}
