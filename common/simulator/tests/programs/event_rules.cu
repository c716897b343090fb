// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Events: an event that was never recorded counts as done, its time is none; what may be asked when; and a
// stream that waits for another one.
#include "expect.h"

__global__ void set(int* p, int value) { *p = value; }
__global__ void add(int* p, int value) { *p += value; }

int main() {
  cudaStream_t a, b;
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  cudaEvent_t first, second, untimed;
  OK(cudaEventCreate(&first));
  OK(cudaEventCreateWithFlags(&second, cudaEventBlockingSync));
  OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  OK(cudaEventQuery(first));
  OK(cudaEventSynchronize(first));
  OK(cudaStreamWaitEvent(b, first));
  float milliseconds = -1;
  EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, first, second));

  int* p;
  OK(cudaMalloc(&p, sizeof(int)));
  OK(cudaEventRecord(first, a));
  set<<<1, 1, 0, a>>>(p, 40);
  OK(cudaEventRecord(untimed, a));
  OK(cudaStreamWaitEvent(b, untimed));
  add<<<1, 1, 0, b>>>(p, 2);
  OK(cudaEventRecord(second, b));
  OK(cudaEventSynchronize(second));
  int host = 0;
  OK(cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host == 42);
  OK(cudaEventElapsedTime(&milliseconds, first, second));
  EXPECT(milliseconds > 0);
  EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, first, untimed));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaEventElapsedTime(nullptr, first, second));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaEventCreateWithFlags(&first, 0x100));
  OK(cudaEventDestroy(untimed));
  OK(cudaEventDestroy(second));
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
}
