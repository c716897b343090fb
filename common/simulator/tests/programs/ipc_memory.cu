// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that one process allocates and another one opens: both see the same bytes, in both directions; a
// handle that is opened twice; atomics of two processes on one word; a kernel that waits for another process;
// what is refused.
#include <vector>

#include "expect.h"
#include "processes.h"

constexpr int kN = 1000, kThreads = 256, kBlocks = 64;

__global__ void twice_and(int* p, int n, int more) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = 2 * p[i] + more;
}

__global__ void count(unsigned* counter) { atomicAdd(counter, 1u); }

__global__ void wait_for(const volatile unsigned* flag) {
  while (*flag == 0) {
  }
}

struct Handles {
  cudaIpcMemHandle_t numbers, counter, unwritten, flag;
};

static void child(const Peer& parent) {
  const auto handles = parent.receive<Handles>();
  int *numbers, *again, *unwritten;
  unsigned *counter, *flag;
  OK(cudaIpcOpenMemHandle((void**)&numbers, handles.numbers, cudaIpcMemLazyEnablePeerAccess));
  OK(cudaIpcOpenMemHandle((void**)&counter, handles.counter, cudaIpcMemLazyEnablePeerAccess));
  OK(cudaIpcOpenMemHandle((void**)&unwritten, handles.unwritten, cudaIpcMemLazyEnablePeerAccess));
  OK(cudaIpcOpenMemHandle((void**)&flag, handles.flag, cudaIpcMemLazyEnablePeerAccess));
  std::vector<int> host(kN);
  OK(cudaMemcpy(host.data(), numbers, kN * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kN; i++) EXPECT(host[i] == i);
  twice_and<<<4, kThreads>>>(numbers, kN, 1);
  OK(cudaMemset(unwritten, 0, kN * sizeof(int)));
  OK(cudaDeviceSynchronize());
  parent.meet();
  count<<<kBlocks, kThreads>>>(counter);  // at the same time as the parent
  OK(cudaDeviceSynchronize());
  parent.meet();
  OK(cudaMemcpy(host.data(), numbers, kN * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kN; i++) EXPECT(host[i] == 2 * (2 * i + 1) + 5);

  wait_for<<<1, 1>>>(flag);
  parent.meet();
  OK(cudaDeviceSynchronize());

  cudaPointerAttributes facts;
  OK(cudaPointerGetAttributes(&facts, numbers));
  EXPECT(facts.type == cudaMemoryTypeDevice && facts.device == 0);
  OK(cudaIpcOpenMemHandle((void**)&again, handles.numbers, cudaIpcMemLazyEnablePeerAccess));
  EXPECT(again == numbers);
  OK(cudaIpcCloseMemHandle(numbers));
  OK(cudaMemset(numbers, 0, 4));  // it is open still
  OK(cudaIpcCloseMemHandle(numbers));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaIpcCloseMemHandle(numbers));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaIpcOpenMemHandle((void**)&again, handles.numbers, 0));
  OK(cudaIpcCloseMemHandle(counter));
  OK(cudaIpcCloseMemHandle(unwritten));
  OK(cudaIpcCloseMemHandle(flag));
  parent.meet();
}

int main() {
  const Process process(child);
  const Peer& peer = process.peer();
  int *first, *numbers, *unwritten;
  unsigned *counter, *flag;
  Handles handles;
  OK(cudaMalloc(&first, 300));  // so that the others do not begin where the device's memory does
  OK(cudaMalloc(&numbers, kN * sizeof(int)));
  OK(cudaMalloc(&counter, sizeof *counter));
  OK(cudaMalloc(&unwritten, kN * sizeof(int)));
  OK(cudaMalloc(&flag, sizeof *flag));
  std::vector<int> host(kN);
  for (int i = 0; i < kN; i++) host[i] = i;
  OK(cudaMemcpy(numbers, host.data(), kN * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemset(counter, 0, sizeof *counter));
  OK(cudaMemset(flag, 0, sizeof *flag));
  OK(cudaIpcGetMemHandle(&handles.numbers, numbers));
  OK(cudaIpcGetMemHandle(&handles.counter, counter));
  OK(cudaIpcGetMemHandle(&handles.unwritten, unwritten));
  OK(cudaIpcGetMemHandle(&handles.flag, flag));
  peer.send(handles);
  peer.meet();
  OK(cudaMemcpy(host.data(), numbers, kN * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kN; i++) EXPECT(host[i] == 2 * i + 1);
  twice_and<<<4, kThreads>>>(numbers, kN, 5);
  twice_and<<<4, kThreads>>>(unwritten, kN, 5);  // the other process wrote it
  count<<<kBlocks, kThreads>>>(counter);
  OK(cudaDeviceSynchronize());
  peer.meet();
  unsigned counted = 0;
  OK(cudaMemcpy(&counted, counter, sizeof counted, cudaMemcpyDeviceToHost));
  EXPECT(counted == 2 * kBlocks * kThreads);
  OK(cudaMemcpy(host.data(), unwritten, kN * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kN; i++) EXPECT(host[i] == 5);
  peer.meet();
  usleep(300'000);  // long enough to look like a deadlock
  OK(cudaMemset(flag, 1, sizeof *flag));
  peer.meet();
  process.end();

  EXPECT_RESULT(cudaErrorInvalidValue, cudaIpcGetMemHandle(nullptr, numbers));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handles.numbers, host.data()));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaIpcCloseMemHandle(numbers));
  (void)cudaGetLastError();
  OK(cudaFree(first));
  OK(cudaFree(numbers));
  OK(cudaFree(counter));
  OK(cudaFree(unwritten));
  OK(cudaFree(flag));
}
