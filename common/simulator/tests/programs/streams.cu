// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Streams and events; time is read from events.
#include <cmath>

#include "expect.h"

__global__ void scale(float* p, int n, float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= a;
}

int main() {
  const int n = 1 << 20;
  float* p = nullptr;
  OK(cudaMalloc(&p, n * sizeof(float)));
  OK(cudaMemset(p, 0, n * sizeof(float)));
  cudaStream_t stream, other;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  unsigned flags = 9;
  OK(cudaStreamGetFlags(other, &flags));
  EXPECT(flags == cudaStreamNonBlocking);
  int least = 1, greatest = 1, priority = 1;
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest < least);
  cudaStream_t urgent;
  OK(cudaStreamCreateWithPriority(&urgent, cudaStreamDefault, greatest));
  OK(cudaStreamGetPriority(urgent, &priority));
  EXPECT(priority == greatest);

  cudaEvent_t start, stop, untimed;
  OK(cudaEventCreate(&start));
  OK(cudaEventCreate(&stop));
  OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  float ms = -1;
  EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, stop));  // never recorded
  EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaGetLastError());
  OK(cudaEventQuery(start));
  scale<<<n / 256, 256, 0, stream>>>(p, n, 1.0f);  // the first launch loads the kernel
  OK(cudaStreamSynchronize(stream));
  OK(cudaEventRecord(start, stream));
  for (int i = 0; i < 10; i++) scale<<<n / 256, 256, 0, stream>>>(p, n, 2.0f);
  OK(cudaEventRecord(stop, stream));
  OK(cudaEventRecord(untimed, stream));
  EXPECT_RESULT(cudaErrorNotReady, cudaEventElapsedTime(&ms, start, stop));
  EXPECT_RESULT(cudaErrorNotReady, cudaEventQuery(stop));
  EXPECT_RESULT(cudaErrorNotReady, cudaStreamQuery(stream));
  OK(cudaStreamQuery(other));
  OK(cudaGetLastError());  // not ready is an answer, not an error
  OK(cudaStreamWaitEvent(other, stop, 0));
  OK(cudaEventSynchronize(stop));
  OK(cudaEventElapsedTime(&ms, start, stop));
  EXPECT(ms > 0.01f && ms < 10.0f);  // ten times 8 MiB: tens of microseconds on every GPU there is
  EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, untimed));
  OK(cudaStreamSynchronize(stream));
  OK(cudaStreamQuery(stream));
  OK(cudaEventQuery(stop));

  // More work takes more time.
  float longer = 0;
  OK(cudaEventRecord(start, stream));
  for (int i = 0; i < 40; i++) scale<<<n / 256, 256, 0, stream>>>(p, n, 0.5f);
  OK(cudaEventRecord(stop, stream));
  OK(cudaEventSynchronize(stop));
  OK(cudaEventElapsedTime(&longer, start, stop));
  EXPECT(longer > 2 * ms);

  OK(cudaStreamDestroy(other));
  OK(cudaStreamDestroy(urgent));
  OK(cudaStreamDestroy(stream));
  OK(cudaEventDestroy(stop));
  return 0;
}
