// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// In a grade nothing is shared between processes: neither what the program has, nor what another one has,
// whose machine lends it. (Not for a real GPU.)
#include "../programs/driver.h"
#include "../programs/processes.h"

/// A process with a machine of its own, which no grade watches.
static void other(const Peer& peer) {
  unsetenv("ROOFLINE_DEVICE_FD");
  int* p;
  cudaIpcMemHandle_t handle;
  OK(cudaMalloc(&p, 4096));
  OK(cudaIpcGetMemHandle(&handle, p));
  peer.send(handle);
  (void)peer.receive<char>();
}

int main() {
  const Process process(other);
  const auto handle = process.peer().receive<cudaIpcMemHandle_t>();
  void *p, *opened;
  cudaIpcMemHandle_t mine;
  cudaIpcEventHandle_t event_handle;
  cudaEvent_t event;
  OK(cudaMalloc(&p, 4096));
  OK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  EXPECT_RESULT(cudaErrorNotSupported, cudaIpcOpenMemHandle(&opened, handle, cudaIpcMemLazyEnablePeerAccess));
  EXPECT_RESULT(cudaErrorNotSupported, cudaIpcGetMemHandle(&mine, p));
  EXPECT_RESULT(cudaErrorNotSupported, cudaIpcGetEventHandle(&event_handle, event));
  OK(cudaEventRecord(event));
  OK(cudaEventSynchronize(event));

  constexpr auto kType = cudaMemHandleTypePosixFileDescriptor;
  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.handleTypes = kType;
  wanted.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool;
  int descriptor = -1, types = -1;
  OK(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
  EXPECT(types == 0);
  OK(cudaMemPoolCreate(&pool, &wanted));
  EXPECT_RESULT(cudaErrorNotSupported, cudaMemPoolExportToShareableHandle(&descriptor, pool, kType, 0));
  OK(cudaMallocFromPoolAsync(&opened, 256, pool, nullptr));
  cudaMemPoolPtrExportData data;
  EXPECT_RESULT(cudaErrorNotSupported, cudaMemPoolExportPointer(&data, opened));

  CUmemAllocationProp piece_wanted{};
  piece_wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  piece_wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  piece_wanted.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemGenericAllocationHandle piece;
  DRIVER_OK(cuMemCreate(&piece, 2 << 20, &piece_wanted, 0));
  EXPECT_DRIVER(
      CUDA_ERROR_NOT_SUPPORTED,
      cuMemExportToShareableHandle(&descriptor, piece, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  process.peer().send(char{1});
  process.end();
  return 0;
}
