// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Launches by address, attributes, occupancy, cooperative launches, host functions.
#include "expect.h"

__global__ void __launch_bounds__(256)
    affine(const float* x, float* y, float a, double b, char which, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = which == 'x' ? a * x[i] + static_cast<float>(b) : 0.0f;
}

__global__ void squares(int* p) { p[blockIdx.x] = blockIdx.x * blockIdx.x; }

int main() {
  const int n = 1000;
  float *x = nullptr, *y = nullptr;
  OK(cudaMallocManaged(&x, n * sizeof(float)));
  OK(cudaMallocManaged(&y, n * sizeof(float)));
  for (int i = 0; i < n; i++) x[i] = static_cast<float>(i);
  float a = 2;
  double b = 0.5;
  char which = 'x';
  int count = n;
  void* arguments[] = {&x, &y, &a, &b, &which, &count};
  OK(cudaLaunchKernel(affine, dim3(4), dim3(256), arguments, 0, nullptr));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(y[i] == 2.0f * static_cast<float>(i) + 0.5f);

  cudaLaunchConfig_t config{};
  config.gridDim = dim3(4);
  config.blockDim = dim3(256);
  OK(cudaLaunchKernelEx(&config, affine, static_cast<const float*>(x), y, 3.0f, 1.0, 'x', n));
  OK(cudaDeviceSynchronize());
  EXPECT(y[10] == 31.0f);

  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, affine));
  EXPECT(attributes.maxThreadsPerBlock == 256 && attributes.numRegs > 0 && attributes.numRegs <= 255);
  EXPECT(attributes.sharedSizeBytes == 0 && attributes.ptxVersion >= 75);

  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.warpSize == 32 && properties.multiProcessorCount > 0 && properties.name[0]);
  int blocks = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, affine, 256, 0));
  EXPECT(blocks > 0 && blocks * 256 <= properties.maxThreadsPerMultiProcessor);
  int with_shared = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&with_shared, affine, 256, 40 * 1024));
  EXPECT(with_shared > 0 && with_shared < blocks);
  int best_block = 0, least_grid = 0;
  OK(cudaOccupancyMaxPotentialBlockSize(&least_grid, &best_block, affine));
  EXPECT(best_block > 0 && best_block <= 256 && least_grid >= properties.multiProcessorCount);

  int* p = nullptr;
  OK(cudaMallocManaged(&p, 64 * sizeof(int)));
  void* pointer[] = {&p};
  OK(cudaLaunchCooperativeKernel(squares, dim3(8), dim3(1), pointer, 0, nullptr));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 8; i++) EXPECT(p[i] == i * i);
  EXPECT_RESULT(cudaErrorCooperativeLaunchTooLarge,
                cudaLaunchCooperativeKernel(squares, dim3(1 << 20), dim3(1), pointer, 0, nullptr));

  int calls = 0;
  OK(cudaLaunchHostFunc(
      nullptr, [](void* data) { ++*static_cast<int*>(data); }, &calls));
  OK(cudaStreamAddCallback(
      nullptr,
      [](cudaStream_t, cudaError_t status, void* data) {
        if (status == cudaSuccess) ++*static_cast<int*>(data);
      },
      &calls, 0));
  OK(cudaDeviceSynchronize());
  EXPECT(calls == 2);
  return 0;
}
