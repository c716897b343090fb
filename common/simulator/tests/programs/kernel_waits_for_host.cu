// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A kernel waits for a word of pinned or managed memory that host code writes after it has done other things:
// slept, queued copies, fills, prefetches, events and further kernels behind the one that waits. None of it
// blocks the host.
#include <unistd.h>

#include <atomic>
#include <thread>

#include "expect.h"

/// What the host has not written yet is 0.
__global__ void wait_for(const volatile int* flag, int* saw) {
  int value;
  while ((value = *flag) == 0) {
  }
  *saw = value;
}

__global__ void wait_until(const volatile int* flag, long long cycles, int* saw) {
  const long long begin = clock64();
  int value;
  while ((value = *flag) == 0 && clock64() - begin < cycles) {
  }
  *saw = value == 0 ? -1 : value;
}

/// All threads of all blocks wait.
__global__ void all_wait_for(const volatile int* flag, int* counted) {
  while (*flag == 0) {
  }
  atomicAdd(counted, 1);
}

/// Works until it is told to stop.
__global__ void count_until(const volatile int* stop, int* counted) {
  while (*stop == 0) atomicAdd(counted, 1);
}

__global__ void add(int* x, int value) { *x += value; }

void set(volatile int* flag, int value) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  *flag = value;
}

int main() {
  alarm(100);  // a call that blocks would wait for ever
  int *flags, *saw, *x, *y, *pinned;
  OK(cudaMallocHost(&flags, 64 * sizeof(int)));
  OK(cudaMallocHost(&pinned, 8 * sizeof(int)));
  OK(cudaMalloc(&saw, 8 * sizeof(int)));
  OK(cudaMalloc(&x, sizeof(int)));
  OK(cudaMalloc(&y, sizeof(int)));
  for (int i = 0; i < 64; ++i) flags[i] = 0;
  for (int i = 0; i < 8; ++i) pinned[i] = -1;
  cudaStream_t first, second, third;
  OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  OK(cudaStreamCreate(&third));
  cudaEvent_t done;
  OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  // A kernel is loaded when it is first launched, and on a GPU that may wait for all that is queued.
  flags[63] = 1;
  OK(cudaMemset(y, 0, sizeof(int)));
  wait_for<<<1, 1>>>(flags + 63, saw);
  wait_until<<<1, 1>>>(flags + 63, 1, saw);
  all_wait_for<<<1, 1>>>(flags + 63, y);
  count_until<<<1, 1>>>(flags + 63, y);
  add<<<1, 1>>>(y, 0);
  OK(cudaDeviceSynchronize());

  // The host takes its time.
  wait_for<<<1, 1, 0, first>>>(flags, saw);
  usleep(300'000);
  set(flags, 7);
  OK(cudaMemcpyAsync(pinned, saw, sizeof(int), cudaMemcpyDeviceToHost, first));
  OK(cudaStreamSynchronize(first));
  EXPECT_VALUE(7, pinned[0]);

  // Work behind it, in its stream and in one that waits for an event of it.
  wait_for<<<1, 1, 0, first>>>(flags + 1, saw);
  OK(cudaMemsetAsync(x, 0, sizeof(int), first));
  add<<<1, 1, 0, first>>>(x, 5);
  OK(cudaMemcpyAsync(y, x, sizeof(int), cudaMemcpyDeviceToDevice, first));
  OK(cudaMemcpyAsync(pinned + 1, saw, sizeof(int), cudaMemcpyDeviceToHost, first));
  OK(cudaEventRecord(done, first));
  OK(cudaStreamWaitEvent(second, done, 0));
  add<<<1, 1, 0, second>>>(y, 6);
  OK(cudaMemcpyAsync(pinned + 2, y, sizeof(int), cudaMemcpyDeviceToHost, second));
  EXPECT_RESULT(cudaErrorNotReady, cudaStreamQuery(first));
  EXPECT_RESULT(cudaErrorNotReady, cudaEventQuery(done));
  EXPECT_RESULT(cudaErrorNotReady, cudaStreamQuery(second));
  EXPECT_VALUE(-1, pinned[1]);
  // What the host may ask and do meanwhile.
  cudaStreamCaptureStatus capture;
  OK(cudaStreamIsCapturing(first, &capture));
  unsigned stream_flags = 0;
  OK(cudaStreamGetFlags(first, &stream_flags));
  EXPECT_VALUE(cudaStreamNonBlocking, stream_flags);
  cudaStream_t fourth;
  OK(cudaStreamCreateWithFlags(&fourth, cudaStreamNonBlocking));
  OK(cudaStreamDestroy(fourth));
  int* allocated;
  int value = 20;
  OK(cudaMallocAsync(&allocated, sizeof(int), first));
  OK(cudaMemcpyAsync(allocated, &value, sizeof(int), cudaMemcpyHostToDevice, first));
  value = 0;  // it was read at once
  OK(cudaMemcpyAsync(pinned + 4, allocated, sizeof(int), cudaMemcpyDeviceToHost, first));
  OK(cudaFreeAsync(allocated, first));
  set(flags + 1, 8);
  while (cudaStreamQuery(second) == cudaErrorNotReady) usleep(100);
  OK(cudaStreamSynchronize(second));
  EXPECT_VALUE(8, pinned[1]);
  EXPECT_VALUE(11, pinned[2]);
  OK(cudaStreamSynchronize(first));
  EXPECT_VALUE(20, pinned[4]);

  // A stream of its own and the legacy default stream behind it.
  wait_for<<<1, 1, 0, third>>>(flags + 2, saw);
  add<<<1, 1>>>(y, 1);
  OK(cudaMemcpyAsync(pinned + 3, y, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_RESULT(cudaErrorNotReady, cudaStreamQuery(nullptr));
  set(flags + 2, 9);
  OK(cudaDeviceSynchronize());
  EXPECT_VALUE(12, pinned[3]);

  // Another thread writes the word while this one waits for the stream.
  wait_for<<<1, 1, 0, first>>>(flags + 3, saw);
  std::thread writer([&] {
    usleep(700'000);
    set(flags + 3, 10);
  });
  OK(cudaMemcpyAsync(pinned, saw, sizeof(int), cudaMemcpyDeviceToHost, first));
  OK(cudaStreamSynchronize(first));
  writer.join();
  EXPECT_VALUE(10, pinned[0]);

  // Two that wait at the same time; the later one may go on first.
  wait_for<<<1, 1, 0, first>>>(flags + 4, saw);
  wait_for<<<1, 1, 0, second>>>(flags + 5, saw + 1);
  set(flags + 5, 12);
  usleep(10'000);
  set(flags + 4, 11);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(pinned, saw, 2 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_VALUE(11, pinned[0]);
  EXPECT_VALUE(12, pinned[1]);

  // Many blocks.
  OK(cudaMemsetAsync(x, 0, sizeof(int), first));
  all_wait_for<<<64, 128, 0, first>>>(flags + 6, x);
  OK(cudaMemcpyAsync(pinned, x, sizeof(int), cudaMemcpyDeviceToHost, first));
  usleep(20'000);
  set(flags + 6, 1);
  OK(cudaStreamSynchronize(first));
  EXPECT_VALUE(64 * 128, pinned[0]);

  // As a node of a graph.
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  wait_for<<<1, 1, 0, first>>>(flags + 8, saw);
  OK(cudaMemcpyAsync(pinned, saw, sizeof(int), cudaMemcpyDeviceToHost, first));
  OK(cudaStreamEndCapture(first, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, first));
  OK(cudaMemcpyAsync(pinned + 1, saw, sizeof(int), cudaMemcpyDeviceToHost, first));
  EXPECT_RESULT(cudaErrorNotReady, cudaStreamQuery(first));
  set(flags + 8, 14);
  OK(cudaStreamSynchronize(first));
  EXPECT_VALUE(14, pinned[0]);
  EXPECT_VALUE(14, pinned[1]);
  OK(cudaGraphLaunch(exec, second));  // the word is there already
  OK(cudaStreamSynchronize(second));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  // One that works all the while.
  OK(cudaMemsetAsync(x, 0, sizeof(int), first));
  count_until<<<2, 32, 0, first>>>(flags + 9, x);
  OK(cudaMemcpyAsync(pinned, x, sizeof(int), cudaMemcpyDeviceToHost, first));
  usleep(100'000);
  set(flags + 9, 1);
  OK(cudaStreamSynchronize(first));
  EXPECT(pinned[0] > 0);

  // One that waits no longer than a time of its own.
  wait_until<<<1, 1, 0, first>>>(flags + 7, 1'000'000, saw);
  OK(cudaMemcpyAsync(pinned, saw, sizeof(int), cudaMemcpyDeviceToHost, first));
  OK(cudaStreamSynchronize(first));
  EXPECT_VALUE(-1, pinned[0]);

  // Managed memory, and a prefetch behind the kernel.
  int both = 0;
  OK(cudaDeviceGetAttribute(&both, cudaDevAttrConcurrentManagedAccess, 0));
  if (both) {
    int* managed;
    OK(cudaMallocManaged(&managed, 1 << 20));
    managed[0] = 0;
    wait_for<<<1, 1, 0, first>>>(managed, saw);
    OK(cudaMemPrefetchAsync(managed + 1024, 1 << 16, {cudaMemLocationTypeDevice, 0}, 0, first));
    OK(cudaMemcpyAsync(pinned, saw, sizeof(int), cudaMemcpyDeviceToHost, first));
    set(managed, 13);
    OK(cudaStreamSynchronize(first));
    EXPECT_VALUE(13, pinned[0]);
    OK(cudaFree(managed));
  }

  OK(cudaGetLastError());
  for (cudaStream_t stream : {first, second, third}) OK(cudaStreamDestroy(stream));
  OK(cudaEventDestroy(done));
  for (int* memory : {saw, x, y}) OK(cudaFree(memory));
  for (int* memory : {flags, pinned}) OK(cudaFreeHost(memory));
  return 0;
}
