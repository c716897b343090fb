// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver API: one range of addresses that shows memory of two devices side by side. Each device reaches
// it as far as it is allowed to; pieces come and go in any order.
// nvcc: -lcuda
// run: --gpus 2
#include "driver.h"
#include "mapped_devices.h"

static CUcontext contexts[2];
static size_t unit = 0;

static void use(int device) { DRIVER_OK(cuCtxSetCurrent(contexts[device])); }

static int ordinal_of(CUdeviceptr at) {
  int device = -1;
  DRIVER_OK(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, at));
  return device;
}

static unsigned long long access_of(CUdeviceptr at, int device) {
  unsigned long long flags = 77;
  const CUmemLocation location = on_device(device).location;
  DRIVER_OK(cuMemGetAccess(&flags, &location, at));
  return flags;
}

/// Kernels and copies see one array, whose pieces lie on the first, the second and the first device.
static void spans_devices() {
  const size_t bytes = 3 * unit, n = bytes / sizeof(int), per_piece = unit / sizeof(int);
  CUdeviceptr at = 0;
  DRIVER_OK(cuMemAddressReserve(&at, bytes, 0, 0, 0));
  CUmemGenericAllocationHandle pieces[3];
  for (int i = 0; i < 3; ++i) pieces[i] = map_piece(at + i * unit, unit, i % 2);
  int value = 0;
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&value, at, 4));  // nobody may reach it yet
  DRIVER_OK(allow(at, bytes, 0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  EXPECT(access_of(at, 0) == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  EXPECT(access_of(at + unit, 0) == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  EXPECT(access_of(at + unit, 1) == CU_MEM_ACCESS_FLAGS_PROT_NONE);
  EXPECT(ordinal_of(at) == 0 && ordinal_of(at + unit + 4) == 1 && ordinal_of(at + 2 * unit) == 0);
  CUmemGenericAllocationHandle same = 0;
  DRIVER_OK(cuMemRetainAllocationHandle(&same, reinterpret_cast<void*>(at + unit + 12)));
  EXPECT(same == pieces[1]);
  CUmemAllocationProp properties{};
  DRIVER_OK(cuMemGetAllocationPropertiesFromHandle(&properties, same));
  EXPECT(properties.location.id == 1);
  DRIVER_OK(cuMemRelease(same));

  DRIVER_OK(cuMemsetD32(at, 5, n));
  add<<<unsigned(n / 256), 256>>>(ints(at), ints(at), int(n), 1);
  for (const int each : ints_at(at, bytes)) EXPECT(each == 11);
  // Half of the copy comes from each device.
  DRIVER_OK(cuMemsetD32(at, 3, per_piece));
  DRIVER_OK(cuMemcpyDtoD(at + 2 * unit, at + unit / 2, unit));
  const std::vector<int> copied = ints_at(at + 2 * unit, unit);
  EXPECT(copied[0] == 3 && copied[per_piece / 2 - 1] == 3);
  EXPECT(copied[per_piece / 2] == 11 && copied[per_piece - 1] == 11);

  // The second device may read.
  DRIVER_OK(cuMemsetD32(at, 4, n));
  DRIVER_OK(cuCtxSynchronize());
  DRIVER_OK(allow(at, bytes, 1, CU_MEM_ACCESS_FLAGS_PROT_READ));
  EXPECT(access_of(at, 1) == CU_MEM_ACCESS_FLAGS_PROT_READ);
  use(1);
  CUdeviceptr there = 0;
  DRIVER_OK(cuMemAlloc(&there, bytes));
  DRIVER_OK(cuMemsetD32(there, 0, n));
  add<<<unsigned(n / 256), 256>>>(ints(at), ints(there), int(n), 0);
  for (const int each : ints_at(there, bytes)) EXPECT(each == 4);
  DRIVER_OK(cuMemFree(there));
  use(0);

  // A handle may go first: the mapping keeps the memory.
  DRIVER_OK(cuMemRelease(pieces[1]));
  for (const int each : ints_at(at + unit, unit)) EXPECT(each == 4);
  // The middle goes, the others stay.
  DRIVER_OK(cuMemUnmap(at + unit, unit));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(&value, at + unit, 4));
  std::vector<int> all(n);
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(all.data(), at, bytes));
  EXPECT(ints_at(at, unit)[per_piece - 1] == 4 && ints_at(at + 2 * unit, unit)[0] == 4);
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(at, bytes));  // something is mapped
  // The first device's memory takes its place.
  const auto other = map_piece(at + unit, unit, 0);
  DRIVER_OK(allow(at, bytes, 0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  EXPECT(ordinal_of(at + unit) == 0);
  DRIVER_OK(cuMemsetD32(at, 6, n));
  for (const int each : ints_at(at, bytes)) EXPECT(each == 6);
  DRIVER_OK(cuMemUnmap(at, bytes));
  for (const auto piece : {other, pieces[2], pieces[0]}) DRIVER_OK(cuMemRelease(piece));
  DRIVER_OK(cuMemAddressFree(at, bytes));
}

/// One piece at an address that was reserved for the other device, and at one of its own.
static void crosses_over() {
  CUdeviceptr here = 0, there = 0;
  DRIVER_OK(cuMemAddressReserve(&here, unit, 0, 0, 0));
  use(1);
  DRIVER_OK(cuMemAddressReserve(&there, unit, 0, 0, 0));
  const auto piece = map_piece(here, unit, 1);
  DRIVER_OK(cuMemMap(there, unit, 0, piece, 0));
  CUmemAccessDesc both[2] = {};
  for (int device = 0; device < 2; ++device)
    both[device] = {on_device(device).location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  DRIVER_OK(cuMemSetAccess(here, unit, both, 2));
  DRIVER_OK(cuMemSetAccess(there, unit, both, 2));
  DRIVER_OK(cuMemsetD32(here, 2, unit / sizeof(int)));
  add<<<1, 32>>>(ints(here), ints(here), 32, 0);
  EXPECT(ints_at(there, 128)[31] == 4);
  // Whose memory it is counts, not for whom the address was reserved.
  OK(cudaMemcpyPeer(ints(there) + 32, 1, ints(here), 1, 128));
  EXPECT(ints_at(there, 256)[63] == 4);
  use(0);
  add<<<1, 32>>>(ints(there), ints(here), 32, 1);
  EXPECT(ints_at(here, 128)[31] == 9);
  EXPECT(ordinal_of(here) == 1 && ordinal_of(there) == 1);
  DRIVER_OK(cuMemUnmap(here, unit));
  DRIVER_OK(cuMemUnmap(there, unit));
  DRIVER_OK(cuMemAddressFree(there, unit));
  DRIVER_OK(cuMemRelease(piece));
  DRIVER_OK(cuMemAddressFree(here, unit));
}

int main() {
  if (!start_two_devices(contexts, unit)) return 0;
  size_t before[2], after = 0, total = 0;
  for (int device = 0; device < 2; ++device) {
    use(device);
    DRIVER_OK(cuMemGetInfo(&before[device], &total));
  }
  use(0);
  spans_devices();
  crosses_over();
  for (int device = 0; device < 2; ++device) {
    use(device);
    DRIVER_OK(cuMemGetInfo(&after, &total));
    EXPECT(after == before[device]);
    DRIVER_OK(cuDevicePrimaryCtxRelease(device));
  }
  return 0;
}
