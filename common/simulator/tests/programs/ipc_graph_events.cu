// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs of two processes, put in order by events that they share: each waits for the other's event and
// records its own, in nodes built by hand and captured ones; one graph calls the host before its record.
#include <vector>

#include "expect.h"
#include "processes.h"

constexpr int kN = 1 << 12, kTurns = 3;
constexpr unsigned kFlags = cudaEventInterprocess | cudaEventDisableTiming;

__global__ void next(int* p, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kN) p[i] = factor * p[i] + 1;
}

struct Handles {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t parent, child;
};

/// Waits for an event, works, records another one.
static cudaGraphExec_t built(int* p, int factor, cudaEvent_t before, cudaEvent_t mine) {
  cudaGraph_t graph;
  cudaGraphNode_t wait, work, record;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddEventWaitNode(&wait, graph, nullptr, 0, before));
  cudaKernelNodeParams kernel{};
  void* arguments[] = {&p, &factor};
  kernel.func = (void*)next;
  kernel.gridDim = dim3(kN / 256);
  kernel.blockDim = dim3(256);
  kernel.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&work, graph, &wait, 1, &kernel));
  OK(cudaGraphAddEventRecordNode(&record, graph, &work, 1, mine));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphDestroy(graph));
  return exec;
}

static void counts(void* calls) { ++*static_cast<int*>(calls); }

/// The same by capture, with a call of the host.
static cudaGraphExec_t captured(cudaStream_t stream, int* p, int factor, cudaEvent_t before, cudaEvent_t mine,
                                int* calls) {
  cudaGraph_t graph;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaStreamWaitEvent(stream, before, cudaEventWaitExternal));
  next<<<kN / 256, 256, 0, stream>>>(p, factor);
  OK(cudaLaunchHostFunc(stream, counts, calls));
  OK(cudaEventRecordWithFlags(mine, stream, cudaEventRecordExternal));
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphDestroy(graph));
  return exec;
}

static void child(const Peer& parent) {
  const auto handles = parent.receive<Handles>();
  cudaEvent_t theirs, mine;
  cudaStream_t stream;
  int *p, calls = 0;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaIpcOpenMemHandle((void**)&p, handles.memory, cudaIpcMemLazyEnablePeerAccess));
  OK(cudaIpcOpenEventHandle(&theirs, handles.parent));
  OK(cudaIpcOpenEventHandle(&mine, handles.child));
  const cudaGraphExec_t exec = captured(stream, p, 3, theirs, mine, &calls);
  for (int i = 0; i < kTurns; i++) {
    (void)parent.receive<char>();
    OK(cudaGraphLaunch(exec, stream));
    parent.send(char{1});
  }
  OK(cudaStreamSynchronize(stream));
  EXPECT(calls == kTurns);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaEventDestroy(theirs));
  OK(cudaEventDestroy(mine));
  OK(cudaIpcCloseMemHandle(p));
  OK(cudaStreamDestroy(stream));
  parent.meet();
}

int main() {
  const Process process(child);
  const Peer& peer = process.peer();
  cudaEvent_t mine, theirs;
  cudaStream_t stream;
  int* p;
  OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  OK(cudaMalloc(&p, kN * sizeof(int)));
  OK(cudaMemsetAsync(p, 0, kN * sizeof(int), stream));
  OK(cudaEventCreateWithFlags(&mine, kFlags));
  OK(cudaEventCreateWithFlags(&theirs, kFlags));
  const cudaGraphExec_t exec = built(p, 2, theirs, mine);  // before anybody else knows the events
  Handles handles;
  OK(cudaIpcGetMemHandle(&handles.memory, p));
  OK(cudaIpcGetEventHandle(&handles.parent, mine));
  OK(cudaIpcGetEventHandle(&handles.child, theirs));
  peer.send(handles);
  int expected = 0;
  for (int i = 0; i < kTurns; i++) {
    OK(cudaGraphLaunch(exec, stream));
    peer.send(char{1});
    (void)peer.receive<char>();
    expected = 3 * (2 * expected + 1) + 1;
  }
  OK(cudaEventSynchronize(theirs));
  std::vector<int> host(kN);
  OK(cudaMemcpy(host.data(), p, kN * sizeof(int), cudaMemcpyDeviceToHost));
  for (const int value : host) EXPECT(value == expected);
  peer.meet();
  process.end();
  OK(cudaGraphExecDestroy(exec));
  OK(cudaEventDestroy(mine));
  OK(cudaEventDestroy(theirs));
  OK(cudaFree(p));
  OK(cudaStreamDestroy(stream));
}
