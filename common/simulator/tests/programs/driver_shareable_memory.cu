// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The driver API: memory that was made without an address, exported as a file descriptor and mapped by
// another process. It lives as long as either process has it.
// nvcc: -lcuda
#include <unistd.h>

#include <vector>

#include "driver.h"
#include "processes.h"

constexpr auto kType = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

__global__ void add(int* p, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += value;
}

static CUmemAllocationProp wanted() {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.requestedHandleTypes = kType;
  return wanted;
}

static CUdeviceptr map(CUmemGenericAllocationHandle piece, size_t bytes) {
  CUdeviceptr at = 0;
  CUmemAccessDesc access{};
  access.location = wanted().location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  DRIVER_OK(cuMemAddressReserve(&at, bytes, 0, 0, 0));
  DRIVER_OK(cuMemMap(at, bytes, 0, piece, 0));
  DRIVER_OK(cuMemSetAccess(at, bytes, &access, 1));
  return at;
}

static void unmap(CUdeviceptr at, size_t bytes) {
  DRIVER_OK(cuMemUnmap(at, bytes));
  DRIVER_OK(cuMemAddressFree(at, bytes));
}

static void add_to_all(CUdeviceptr at, size_t bytes, int value) {
  const int n = int(bytes / sizeof(int));
  add<<<n / 256, 256>>>(reinterpret_cast<int*>(at), n, value);
  DRIVER_OK(cuCtxSynchronize());
}

static void expect_all(CUdeviceptr at, size_t bytes, int value) {
  std::vector<int> host(bytes / sizeof(int));
  DRIVER_OK(cuMemcpyDtoH(host.data(), at, bytes));
  for (const int each : host) EXPECT(each == value);
}

static CUcontext start() {
  CUcontext context;
  DRIVER_OK(cuInit(0));
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  return context;
}

static void child(const Peer& parent) {
  int descriptor = -1;
  const auto bytes = parent.receive<size_t>(&descriptor);
  const CUcontext context = start();
  CUmemGenericAllocationHandle piece;
  DRIVER_OK(cuMemImportFromShareableHandle(&piece, reinterpret_cast<void*>(size_t(descriptor)), kType));
  close(descriptor);
  const CUdeviceptr at = map(piece, bytes);
  DRIVER_OK(cuMemRelease(piece));  // the mapping keeps it
  expect_all(at, bytes, 5);
  add_to_all(at, bytes, 2);
  parent.meet();
  (void)parent.receive<char>();  // the parent has given it up
  expect_all(at, bytes, 7);
  unmap(at, bytes);
  DRIVER_OK(cuCtxDestroy(context));
}

int main() {
  const Process process(child);
  const CUmemAllocationProp properties = wanted();
  int supported = 0;
  DRIVER_OK(cuInit(0));
  DRIVER_OK(
      cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
  EXPECT(supported == 1);
  size_t bytes = 0;
  DRIVER_OK(cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUmemGenericAllocationHandle first, piece, again, unshared;
  DRIVER_OK(cuMemCreate(&first, bytes, &properties, 0));  // the other lies behind it
  DRIVER_OK(cuMemCreate(&piece, bytes, &properties, 0));
  CUmemAllocationProp found{};
  DRIVER_OK(cuMemGetAllocationPropertiesFromHandle(&found, piece));
  EXPECT(found.requestedHandleTypes == kType);
  int descriptor = -1;
  DRIVER_OK(cuMemExportToShareableHandle(&descriptor, piece, kType, 0));
  // All of this without a context.
  const CUcontext context = start();
  const CUdeviceptr at = map(piece, bytes);
  DRIVER_OK(cuMemsetD32(at, 5, bytes / sizeof(int)));
  DRIVER_OK(cuCtxSynchronize());
  process.peer().send(bytes, descriptor);
  // In the same process it is the same memory under another handle.
  DRIVER_OK(cuMemImportFromShareableHandle(&again, reinterpret_cast<void*>(size_t(descriptor)), kType));
  close(descriptor);
  const CUdeviceptr there = map(again, bytes);
  process.peer().meet();
  expect_all(at, bytes, 7);
  expect_all(there, bytes, 7);
  unmap(at, bytes);
  unmap(there, bytes);
  DRIVER_OK(cuMemRelease(again));
  DRIVER_OK(cuMemRelease(piece));
  DRIVER_OK(cuMemRelease(first));

  // What takes the place of memory that was given up is not the other process's.
  CUmemAllocationProp plain = properties;
  plain.requestedHandleTypes = CU_MEM_HANDLE_TYPE_NONE;
  DRIVER_OK(cuMemCreate(&unshared, bytes, &plain, 0));
  const CUdeviceptr other = map(unshared, bytes);
  DRIVER_OK(cuMemsetD32(other, 1, bytes / sizeof(int)));
  DRIVER_OK(cuCtxSynchronize());
  process.peer().send(char{1});
  process.end();
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemExportToShareableHandle(&descriptor, unshared, kType, 0));
  (void)cudaGetLastError();
  unmap(other, bytes);
  DRIVER_OK(cuMemRelease(unshared));
  DRIVER_OK(cuCtxDestroy(context));
}
