// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Events that processes share: three of them hand an array around, each with kernels in a stream of its own,
// and only events say who comes next. And two streams of one process, with another process between them.
#include <vector>

#include "expect.h"
#include "processes.h"

constexpr int kN = 1 << 14, kProcesses = 3;
constexpr unsigned kFlags = cudaEventInterprocess | cudaEventDisableTiming;

__global__ void next(int* p, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kN) p[i] = factor * p[i] + 1;
}

struct Handles {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t events[kProcesses];  ///< the one that each records
};

/// One process's turn: after the one before it, in the order of streams.
static void turn(cudaStream_t stream, int* p, cudaEvent_t before, cudaEvent_t mine, int factor) {
  OK(cudaStreamWaitEvent(stream, before, 0));
  next<<<kN / 256, 256, 0, stream>>>(p, factor);
  OK(cudaEventRecord(mine, stream));
}

static void child(const Peer& parent, int number) {
  const auto handles = parent.receive<Handles>();
  cudaEvent_t events[kProcesses];
  int* p;
  cudaStream_t stream;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaIpcOpenMemHandle((void**)&p, handles.memory, cudaIpcMemLazyEnablePeerAccess));
  for (int i = 0; i < kProcesses; i++) OK(cudaIpcOpenEventHandle(&events[i], handles.events[i]));
  (void)parent.receive<char>();  // the one before has recorded
  turn(stream, p, events[number - 1], events[number], 2 + number);
  parent.send(char{1});
  (void)parent.receive<char>();
  OK(cudaEventSynchronize(events[0]));
  OK(cudaStreamSynchronize(stream));
  OK(cudaEventQuery(events[number]));
  cudaEvent_t plain;
  cudaIpcEventHandle_t handle;
  float ms;
  OK(cudaEventCreate(&plain));
  EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, events[0], events[1]));
  EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&handle, plain));
  for (const cudaEvent_t event : events) OK(cudaEventDestroy(event));
  OK(cudaEventDestroy(plain));
  OK(cudaIpcCloseMemHandle(p));
  OK(cudaStreamDestroy(stream));
}

int main() {
  const Process first([](const Peer& parent) { child(parent, 1); });
  const Process second([](const Peer& parent) { child(parent, 2); });
  int* p;
  cudaEvent_t events[kProcesses];
  cudaStream_t stream, other;
  Handles handles;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  OK(cudaMalloc(&p, kN * sizeof(int)));
  OK(cudaIpcGetMemHandle(&handles.memory, p));
  for (int i = 0; i < kProcesses; i++) {
    OK(cudaEventCreateWithFlags(&events[i], kFlags));
    OK(cudaEventQuery(events[i]));  // never recorded
    OK(cudaIpcGetEventHandle(&handles.events[i], events[i]));
  }
  first.peer().send(handles);
  second.peer().send(handles);
  OK(cudaMemsetAsync(p, 0, kN * sizeof(int), stream));
  turn(stream, p, events[2], events[0], 2);  // nobody has recorded the event that it waits for
  for (const Process* each : {&first, &second}) {
    each->peer().send(char{1});
    (void)each->peer().receive<char>();
  }
  turn(other, p, events[2], events[0], 5);  // after all the others, though in another stream
  OK(cudaEventSynchronize(events[0]));
  std::vector<int> host(kN);
  OK(cudaMemcpy(host.data(), p, kN * sizeof(int), cudaMemcpyDeviceToHost));
  for (const int value : host) EXPECT(value == ((1 * 3 + 1) * 4 + 1) * 5 + 1);
  for (const Process* each : {&first, &second}) {
    each->peer().send(char{1});
    each->end();
  }
  for (const cudaEvent_t event : events) OK(cudaEventDestroy(event));
  OK(cudaFree(p));
  OK(cudaStreamDestroy(stream));
  OK(cudaStreamDestroy(other));
}
