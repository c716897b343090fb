// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A kernel with many registers: a block of as many threads as its attributes allow runs, one with another
// warp does not.
// nvcc: -gencode arch=compute_80,code=sm_80
#include "expect.h"

constexpr int kValues = 120;

__global__ void mix(const float* in, float* out, int rounds) {
  float value[kValues];
#pragma unroll
  for (int i = 0; i < kValues; i++) value[i] = in[i];
  for (int round = 0; round < rounds; round++) {
    const float factor = in[round];
#pragma unroll
    for (int i = 0; i < kValues; i++) value[i] = value[i] * factor + value[(i * 7 + 1) % kValues];
  }
#pragma unroll
  for (int i = 0; i < kValues; i++) out[threadIdx.x * kValues + i] = value[i];
}

int main() {
  cudaFuncAttributes attributes;
  OK(cudaFuncGetAttributes(&attributes, mix));
  const int most = attributes.maxThreadsPerBlock;
  EXPECT(most % 32 == 0 && most >= 32 && most <= 1024);
  float *in, *out;
  OK(cudaMalloc(&in, kValues * sizeof(float)));
  OK(cudaMalloc(&out, sizeof(float) * kValues * 1024));
  OK(cudaMemset(in, 0, kValues * sizeof(float)));
  mix<<<1, most>>>(in, out, 2);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  int blocks = 0;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mix, most, 0));
  EXPECT(blocks >= 1);
  if (most < 1024) {
    mix<<<1, most + 32>>>(in, out, 2);
    EXPECT_RESULT(cudaErrorLaunchOutOfResources, cudaGetLastError());
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, mix, most + 32, 0));
    EXPECT(blocks == 0);
  }
#ifndef __CUDACC_DEBUG__
  EXPECT(most < 1024);
#endif
  OK(cudaFree(in));
  OK(cudaFree(out));
}
