// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What a kernel learns of kernels, devices and the runtime is what the host learns.
// nvcc: -rdc=true -lcudadevrt
// run: --gpus 2

#include "expect.h"

__global__ void __launch_bounds__(256) target(int* p) {
  __shared__ int numbers[300];
  extern __shared__ int more[];
  numbers[threadIdx.x] = more[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  p[threadIdx.x] = numbers[255 - threadIdx.x] + more[threadIdx.x];
}

struct Answers {
  cudaFuncAttributes function;
  int devices, device, version, blocks, attributes[cudaDevAttrMax];
  cudaError_t errors[2];
};

/// Whether processes share memory and events is asked on the host.
__host__ __device__ bool is_asked(int attribute) {
  return attribute != cudaDevAttrMemoryPoolSupportedHandleTypes && attribute != cudaDevAttrIpcEventSupport;
}

__global__ void ask(Answers* to) {
  cudaFuncAttributes function;
  cudaFuncGetAttributes(&function, target);
  to->function = function;
  cudaGetDeviceCount(&to->devices);
  cudaGetDevice(&to->device);
  cudaRuntimeGetVersion(&to->version);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&to->blocks, target, 256, 4096);
  for (int i = 1; i < cudaDevAttrMax; i++)
    if (is_asked(i)) cudaDeviceGetAttribute(&to->attributes[i], static_cast<cudaDeviceAttr>(i), 1);
  int ignored;
  to->errors[0] = cudaDeviceGetAttribute(&ignored, cudaDevAttrWarpSize, 2);
  to->errors[1] = cudaFuncGetAttributes(&function, static_cast<const void*>(to));
  cudaGetLastError();
}

int main() {
  int devices, version, blocks, value;
  OK(cudaGetDeviceCount(&devices));
  if (devices < 2) return 0;
  OK(cudaSetDevice(1));
  OK(cudaFuncSetAttribute(target, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
  Answers *to, seen;
  OK(cudaMalloc(&to, sizeof *to));
  OK(cudaMemset(to, 0, sizeof *to));
  ask<<<1, 1>>>(to);
  OK(cudaMemcpy(&seen, to, sizeof seen, cudaMemcpyDeviceToHost));
  cudaFuncAttributes expected;
  OK(cudaFuncGetAttributes(&expected, target));
  EXPECT_VALUE(expected.sharedSizeBytes, seen.function.sharedSizeBytes);
  EXPECT_VALUE(expected.localSizeBytes, seen.function.localSizeBytes);
  EXPECT_VALUE(expected.maxThreadsPerBlock, seen.function.maxThreadsPerBlock);
  EXPECT_VALUE(expected.numRegs, seen.function.numRegs);
  EXPECT_VALUE(expected.ptxVersion, seen.function.ptxVersion);
  EXPECT_VALUE(expected.binaryVersion, seen.function.binaryVersion);
  EXPECT_VALUE(expected.maxDynamicSharedSizeBytes, seen.function.maxDynamicSharedSizeBytes);
  EXPECT_VALUE(devices, seen.devices);
  EXPECT_VALUE(1, seen.device);
  OK(cudaRuntimeGetVersion(&version));
  EXPECT_VALUE(version, seen.version);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, target, 256, 4096));
  EXPECT_VALUE(blocks, seen.blocks);
  int known = 0;
  for (int i = 1; i < cudaDevAttrMax; i++) {
    // Some numbers are reserved.
    if (!is_asked(i) || cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(i), 1) != cudaSuccess)
      continue;
    EXPECT_VALUE(value, seen.attributes[i]);
    known += value != 0;
  }
  EXPECT(known > 80);
  EXPECT_VALUE(cudaErrorInvalidDevice, seen.errors[0]);
  EXPECT_VALUE(cudaErrorInvalidDeviceFunction, seen.errors[1]);
  OK(cudaFree(to));
}
