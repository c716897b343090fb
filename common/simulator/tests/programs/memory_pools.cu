// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stream-ordered allocation: memory comes from a pool and goes back to it; the pool's accounts, its release
// threshold, pools of one's own, and the errors.
#include <cstdint>

#include "expect.h"

__global__ void fill(int* p, int value) { p[threadIdx.x] = value + threadIdx.x; }

uint64_t account(cudaMemPool_t pool, cudaMemPoolAttr which) {
  uint64_t value = 0;
  OK(cudaMemPoolGetAttribute(pool, which, &value));
  return value;
}

int main() {
  cudaMemPool_t pool, current;
  OK(cudaDeviceGetDefaultMemPool(&pool, 0));
  OK(cudaDeviceGetMemPool(&current, 0));
  EXPECT(pool == current);
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  const uint64_t before = account(pool, cudaMemPoolAttrUsedMemCurrent);

  int *a, *b;
  const size_t bytes = 1 << 20;
  OK(cudaMallocAsync(&a, bytes, stream));
  OK(cudaMallocAsync(&b, bytes, stream));
  fill<<<1, 32, 0, stream>>>(a, 7);
  int host[32];
  OK(cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, stream));
  EXPECT(account(pool, cudaMemPoolAttrUsedMemCurrent) == before + 2 * bytes);
  EXPECT(account(pool, cudaMemPoolAttrReservedMemCurrent) >= before + 2 * bytes);
  OK(cudaFreeAsync(a, stream));
  OK(cudaStreamSynchronize(stream));
  for (int i = 0; i < 32; i++) EXPECT(host[i] == 7 + i);
  EXPECT_VALUE(before + bytes, account(pool, cudaMemPoolAttrUsedMemCurrent));
  OK(cudaFreeAsync(b, stream));
  OK(cudaDeviceSynchronize());
  EXPECT_VALUE(before, account(pool, cudaMemPoolAttrUsedMemCurrent));
  EXPECT(account(pool, cudaMemPoolAttrUsedMemHigh) >= before + 2 * bytes);
  uint64_t zero = 0;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
  EXPECT_VALUE(before, account(pool, cudaMemPoolAttrUsedMemHigh));

  // cudaFree is allowed, too. On a GPU its bytes count for a while.
  for (int i = 0; i < 64; i++) {
    OK(cudaMallocAsync(&a, bytes, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaFree(a));
  }

  // With a threshold the pool keeps what it has; without, it gives it back at a synchronisation.
  uint64_t keep = UINT64_MAX;
  OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  OK(cudaMallocAsync(&a, 64 << 20, stream));
  OK(cudaFreeAsync(a, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(account(pool, cudaMemPoolAttrReservedMemCurrent) >= 64 << 20);
  size_t free_before, free_after, total;
  OK(cudaMemGetInfo(&free_before, &total));
  OK(cudaMemPoolTrimTo(pool, 0));
  EXPECT(account(pool, cudaMemPoolAttrReservedMemCurrent) < 64 << 20);
  OK(cudaMemGetInfo(&free_after, &total));
  EXPECT(free_after >= free_before + (64 << 20) - (32 << 20));

  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPool_t mine;
  OK(cudaMemPoolCreate(&mine, &properties));
  OK(cudaMallocFromPoolAsync(&a, bytes, mine, stream));
  EXPECT(account(mine, cudaMemPoolAttrUsedMemCurrent) == bytes);
  OK(cudaDeviceSetMemPool(0, mine));
  OK(cudaMallocAsync(&b, bytes, stream));
  EXPECT(account(mine, cudaMemPoolAttrUsedMemCurrent) == 2 * bytes);
  cudaMemAccessFlags access;
  cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  OK(cudaMemPoolGetAccess(&access, mine, &here));
  EXPECT(access == cudaMemAccessFlagsProtReadWrite);
  OK(cudaFreeAsync(a, stream));
  OK(cudaFreeAsync(b, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaDeviceSetMemPool(0, pool));
  OK(cudaMemPoolDestroy(mine));

  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemPoolDestroy(pool));  // the default pool stays
  EXPECT_RESULT(cudaErrorMemoryAllocation, cudaMallocAsync(&a, total * 2, stream));
  int* plain;
  OK(cudaMalloc(&plain, 4));
  OK(cudaFreeAsync(plain, stream));  // though it is from no pool
  OK(cudaStreamSynchronize(stream));
}
