// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What a launch in a kernel answers when it cannot be, for each thread apart; texts of errors; limits and
// facts of the device, as kernels see them.
// nvcc: -rdc=true -lcudadevrt
#include <cstring>

#include "expect.h"

__global__ void nothing() {}

__device__ void keep(char* to, const char* text) {
  while ((*to++ = *text++) != 0) {
  }
}

__global__ void refused(int* results, char* text) {
  const int i = static_cast<int>(threadIdx.x);
  if (i == 0) nothing<<<1, 4096>>>();
  results[i] = cudaPeekAtLastError();
  results[2 + i] = cudaGetLastError();
  results[4 + i] = cudaGetLastError();
  if (i == 0) keep(text, cudaGetErrorString(cudaErrorInvalidConfiguration));
}

__global__ void many(int n, int* results) {
  int launched = 0;
  for (int i = 0; i < n; i++) {
    nothing<<<1, 1, 0, cudaStreamFireAndForget>>>();
    if (cudaGetLastError() == cudaSuccess) launched++;
  }
  *results = launched;
}

__global__ void ask(int* results, size_t* limit) {
  cudaDeviceGetAttribute(results, cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceGetAttribute(results + 1, cudaDevAttrWarpSize, 0);
  cudaGetDevice(results + 2);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(results + 3, nothing, 256, 0);
  cudaDeviceGetLimit(limit, cudaLimitDevRuntimePendingLaunchCount);
}

int main() {
  int *results = nullptr, seen[6];
  char *text = nullptr, words[64];
  size_t *limit = nullptr, pending = 0;
  OK(cudaMalloc(&results, sizeof seen));
  OK(cudaMalloc(&text, sizeof words));
  OK(cudaMalloc(&limit, sizeof pending));
  refused<<<1, 2>>>(results, text);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(seen, results, sizeof seen, cudaMemcpyDeviceToHost));
  EXPECT_VALUE(cudaErrorInvalidConfiguration, seen[0]);
  EXPECT_VALUE(cudaErrorInvalidConfiguration, seen[2]);
  for (const int i : {1, 3, 4, 5}) EXPECT_VALUE(cudaSuccess, seen[i]);
  OK(cudaMemset(text + 31, 0, 1));
  OK(cudaMemcpy(words, text, 31, cudaMemcpyDeviceToHost));
  EXPECT(std::strcmp(words, cudaGetErrorString(cudaErrorInvalidConfiguration)) == 0);

  OK(cudaDeviceGetLimit(&pending, cudaLimitDevRuntimePendingLaunchCount));
  EXPECT_VALUE(2048, pending);
  many<<<1, 1>>>(2000, results);
  OK(cudaMemcpy(seen, results, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_VALUE(2000, seen[0]);

  ask<<<1, 1>>>(results, limit);
  OK(cudaMemcpy(seen, results, sizeof seen, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&pending, limit, sizeof pending, cudaMemcpyDeviceToHost));
  int expected = 0;
  OK(cudaDeviceGetAttribute(&expected, cudaDevAttrMultiProcessorCount, 0));
  EXPECT_VALUE(expected, seen[0]);
  EXPECT_VALUE(32, seen[1]);
  EXPECT_VALUE(0, seen[2]);
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&expected, nothing, 256, 0));
  EXPECT_VALUE(expected, seen[3]);
  EXPECT_VALUE(2048, pending);
  OK(cudaFree(limit));
  OK(cudaFree(text));
  OK(cudaFree(results));
}
