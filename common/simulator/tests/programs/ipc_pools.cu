// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A memory pool that one process makes and another one imports, with an allocation from it.
#include <unistd.h>

#include "expect.h"
#include "processes.h"

constexpr int kN = 5000;
constexpr auto kType = cudaMemHandleTypePosixFileDescriptor;

__global__ void add(int* p, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kN) p[i] += value;
}

static void child(const Peer& parent) {
  int descriptor = -1;
  const auto data = parent.receive<cudaMemPoolPtrExportData>(&descriptor);
  cudaMemPool_t pool;
  cudaStream_t stream;
  int *p, host[kN];
  OK(cudaStreamCreate(&stream));
  OK(cudaMemPoolImportFromShareableHandle(&pool, (void*)(size_t)descriptor, kType, 0));
  close(descriptor);
  cudaMemAccessFlags access = cudaMemAccessFlagsProtNone;
  cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  OK(cudaMemPoolGetAccess(&access, pool, &here));
  EXPECT(access == cudaMemAccessFlagsProtReadWrite);
  cudaMemPoolPtrExportData none{};
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemPoolImportPointer((void**)&p, pool, &none));
  (void)cudaGetLastError();
  OK(cudaMemPoolImportPointer((void**)&p, pool, const_cast<cudaMemPoolPtrExportData*>(&data)));
  add<<<(kN + 255) / 256, 256, 0, stream>>>(p, 3);
  OK(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  for (const int value : host) EXPECT(value == 3);
  // An imported pool gives out nothing itself.
  int* own = nullptr;
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&own, 256, pool, stream));
  (void)cudaGetLastError();
  OK(cudaFreeAsync(p, stream));  // before the process that allocated it does
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemPoolDestroy(pool));
  OK(cudaStreamDestroy(stream));
}

int main() {
  const Process process(child);
  int types = 0;
  OK(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
  EXPECT(types & kType);
  cudaMemPoolProps wanted{};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.handleTypes = kType;
  wanted.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t pool, standard;
  cudaStream_t stream;
  int descriptor = -1, *p, *unshared, host[kN];
  cudaMemPoolPtrExportData data;
  OK(cudaStreamCreate(&stream));
  OK(cudaMemPoolCreate(&pool, &wanted));
  OK(cudaMallocFromPoolAsync(&p, sizeof host, pool, stream));
  OK(cudaMemsetAsync(p, 0, sizeof host, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemPoolExportToShareableHandle(&descriptor, pool, kType, 0));
  OK(cudaMemPoolExportPointer(&data, p));
  process.peer().send(data, descriptor);
  close(descriptor);
  process.end();
  OK(cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  for (const int value : host) EXPECT(value == 3);

  OK(cudaDeviceGetDefaultMemPool(&standard, 0));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemPoolExportToShareableHandle(&descriptor, standard, kType, 0));
  OK(cudaMallocAsync(&unshared, 256, stream));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data, unshared));
  cudaIpcMemHandle_t handle;
  EXPECT_RESULT(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handle, unshared));
  (void)cudaGetLastError();
  OK(cudaFreeAsync(unshared, stream));
  OK(cudaFreeAsync(p, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemPoolDestroy(pool));
  OK(cudaStreamDestroy(stream));
}
