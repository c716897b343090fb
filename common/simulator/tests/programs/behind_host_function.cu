// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// What is submitted behind a host function that has not returned yet is queued: the submitting thread goes
// on, and may be the one for which the function waits.
#include <unistd.h>

#include <atomic>

#include "expect.h"

__global__ void add(int* x, int value) { *x += value; }

std::atomic<bool> g_go{false};

void wait_for_go(void*) {
  while (!g_go) usleep(100);
}

int main() {
  alarm(60);  // a call that blocks would wait for ever
  int *x, *y, *pinned;
  OK(cudaMalloc(&x, sizeof(int)));
  OK(cudaMalloc(&y, sizeof(int)));
  OK(cudaMallocHost(&pinned, 3 * sizeof(int)));
  cudaStream_t first, second, blocking;
  OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  OK(cudaStreamCreate(&blocking));
  cudaEvent_t ready, done;
  OK(cudaEventCreate(&ready));
  OK(cudaEventCreate(&done));
  pinned[0] = pinned[1] = pinned[2] = -1;
  OK(cudaMemset(y, 0, sizeof(int)));
  // A kernel is loaded when it is first launched, and on a GPU that may wait for all that is queued.
  add<<<1, 1>>>(y, 0);
  OK(cudaDeviceSynchronize());

  // A stream, and another one that waits for it.
  OK(cudaLaunchHostFunc(first, wait_for_go, nullptr));
  OK(cudaMemsetAsync(x, 0, sizeof(int), first));
  add<<<1, 1, 0, first>>>(x, 5);
  OK(cudaGetLastError());
  OK(cudaEventRecord(ready, first));
  OK(cudaStreamWaitEvent(second, ready, 0));
  add<<<1, 1, 0, second>>>(x, 7);
  OK(cudaMemcpyAsync(pinned, x, sizeof(int), cudaMemcpyDeviceToHost, second));
  OK(cudaEventRecord(done, second));
  EXPECT_RESULT(cudaErrorNotReady, cudaEventQuery(ready));
  EXPECT_RESULT(cudaErrorNotReady, cudaEventQuery(done));
  EXPECT_RESULT(cudaErrorNotReady, cudaStreamQuery(second));
  float milliseconds;
  EXPECT_RESULT(cudaErrorNotReady, cudaEventElapsedTime(&milliseconds, ready, done));
  EXPECT_VALUE(-1, pinned[0]);

  // Streams that have nothing to do with it go on.
  add<<<1, 1, 0, blocking>>>(y, 1);
  add<<<1, 1>>>(y, 10);
  add<<<1, 1, 0, cudaStreamPerThread>>>(y, 100);
  OK(cudaMemcpy(pinned + 1, y, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_VALUE(111, pinned[1]);

  g_go = true;
  OK(cudaEventSynchronize(done));
  EXPECT_VALUE(12, pinned[0]);
  OK(cudaEventElapsedTime(&milliseconds, ready, done));
  EXPECT(milliseconds > 0);

  // The default stream waits for blocking streams, and they for it.
  g_go = false;
  OK(cudaLaunchHostFunc(blocking, wait_for_go, nullptr));
  add<<<1, 1>>>(y, 1000);
  OK(cudaLaunchHostFunc(blocking, wait_for_go, nullptr));
  add<<<1, 1, 0, blocking>>>(y, 10000);
  OK(cudaMemcpyAsync(pinned + 2, y, sizeof(int), cudaMemcpyDeviceToHost, blocking));
  EXPECT_RESULT(cudaErrorNotReady, cudaStreamQuery(nullptr));
  EXPECT_VALUE(-1, pinned[2]);
  OK(cudaStreamDestroy(second));
  g_go = true;
  OK(cudaDeviceSynchronize());
  EXPECT_VALUE(11111, pinned[2]);

  // Memory is freed after what uses it; a stream that ends first does its work.
  g_go = false;
  OK(cudaLaunchHostFunc(first, wait_for_go, nullptr));
  add<<<1, 1, 0, first>>>(x, 1);
  OK(cudaFreeAsync(x, first));
  OK(cudaStreamDestroy(first));
  g_go = true;
  OK(cudaFree(y));
  OK(cudaDeviceSynchronize());
  OK(cudaGetLastError());
  return 0;
}
