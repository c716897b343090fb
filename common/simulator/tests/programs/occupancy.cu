// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the library knows about a kernel: attributes, parameters, how many blocks an SM holds, the block size
// it recommends; and the shared memory beyond 48 KB that has to be asked for.
#include <cstring>

#include "expect.h"

struct Pair {
  double a;
  int b;
};
__global__ void __launch_bounds__(256) bounded(int* p, Pair pair, char c) {
  __shared__ int tile[256];
  tile[threadIdx.x] = pair.b + c;
  __syncthreads();
  p[threadIdx.x] = tile[255 - threadIdx.x];
}
extern __shared__ int dynamic[];
__global__ void hungry(int* p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) dynamic[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *p = dynamic[n - 1];
}

int main() {
  cudaFuncAttributes about;
  OK(cudaFuncGetAttributes(&about, bounded));
  EXPECT(about.sharedSizeBytes == 1024 && about.maxThreadsPerBlock == 256 && about.numRegs > 0);
  const char* name = nullptr;
  OK(cudaFuncGetName(&name, reinterpret_cast<const void*>(bounded)));
  EXPECT(std::strstr(name, "bounded"));
  size_t offset = 0, size = 0;
  OK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(bounded), 1, &offset, &size));
  EXPECT(offset == 8 && size == sizeof(Pair));
  OK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(bounded), 2, &offset, &size));
  EXPECT(offset == 24 && size == 1);
  EXPECT_RESULT(cudaErrorInvalidValue,
                cudaFuncGetParamInfo(reinterpret_cast<const void*>(bounded), 3, &offset, &size));

  cudaDeviceProp device;
  OK(cudaGetDeviceProperties(&device, 0));
  int blocks = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0));
  EXPECT(blocks >= 1 && blocks * 256 <= device.maxThreadsPerMultiProcessor);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 512, 0));
  // Launch bounds do not count here; in a launch they do.
  EXPECT(blocks >= 1 && blocks * 512 <= device.maxThreadsPerMultiProcessor);
  bounded<<<1, 512>>>(nullptr, Pair{}, 'c');
  EXPECT(cudaGetLastError() != cudaSuccess);
  int grid = 0, block = 0;
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded));
  EXPECT(block == 256 && grid >= device.multiProcessorCount);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 0, 0));

  int* p;
  OK(cudaMalloc(&p, 1024));
  const size_t bytes = device.sharedMemPerBlockOptin;
  hungry<<<1, 128, bytes>>>(p, int(bytes / 4));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGetLastError());
  EXPECT_RESULT(cudaErrorInvalidValue,
                cudaFuncSetAttribute(hungry, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes) + 1));
  (void)cudaGetLastError();
  OK(cudaFuncSetAttribute(hungry, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
  hungry<<<1, 128, bytes>>>(p, int(bytes / 4));
  int last = 0;
  OK(cudaMemcpy(&last, p, sizeof last, cudaMemcpyDeviceToHost));
  EXPECT(last == int(bytes / 4) - 1);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, hungry, 128, bytes));
  EXPECT(blocks == 1);
  size_t available = 0;
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&available, hungry, 2, 128));
  // An even share, of which the system takes some bytes for each block: that much less lets two of them in.
  EXPECT_VALUE(device.sharedMemPerMultiprocessor / 2, available);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, hungry, 128, available));
  EXPECT_VALUE(device.reservedSharedMemPerBlock ? 1 : 2, blocks);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, hungry, 128,
                                                   available - device.reservedSharedMemPerBlock));
  EXPECT_VALUE(2, blocks);
}
