// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Streams and events that a kernel makes: order between streams, and which handles and flags are refused.
// nvcc: -rdc=true -lcudadevrt
#include "expect.h"

__global__ void set(int* at, int value) { *at = value; }
__global__ void copy(const int* from, int* to) { *to = *from; }
__global__ void keep_stream(cudaStream_t stream, int* result) {
  *result = cudaStreamDestroy(stream);  // of another grid
}

__global__ void two_streams(int* values, int* results) {
  cudaStream_t first, second;
  cudaEvent_t done;
  results[0] = cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  results[1] = cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  results[2] = cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  set<<<1, 1, 0, first>>>(values, 7);
  results[3] = cudaEventRecord(done, first);
  results[4] = cudaStreamWaitEvent(second, done, 0);
  copy<<<1, 1, 0, second>>>(values, values + 1);
  results[5] = cudaEventRecord(done, second);
  results[6] = cudaStreamWaitEvent(cudaStream_t{}, done, 0);
  copy<<<1, 1>>>(values + 1, values + 2);
  results[7] = cudaEventDestroy(done);
  results[8] = cudaStreamDestroy(second);
  results[9] = cudaStreamCreateWithFlags(&second, cudaStreamDefault);
  results[10] = cudaEventCreateWithFlags(&done, cudaEventDefault);
  keep_stream<<<1, 1, 0, first>>>(first, results + 11);
}

int main() {
  constexpr int kResults = 12;
  int *values = nullptr, *results = nullptr, seen[kResults];
  OK(cudaMalloc(&values, 3 * sizeof(int)));
  OK(cudaMalloc(&results, sizeof seen));
  two_streams<<<1, 1>>>(values, results);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(seen, results, sizeof seen, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 9; i++) EXPECT_VALUE(cudaSuccess, seen[i]);
  EXPECT_VALUE(cudaErrorInvalidValue, seen[9]);
  EXPECT_VALUE(cudaErrorInvalidValue, seen[10]);
  EXPECT(seen[11] != cudaSuccess);
  OK(cudaMemcpy(seen, values, 3 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < 3; i++) EXPECT_VALUE(7, seen[i]);
  OK(cudaFree(results));
  OK(cudaFree(values));
}
