// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Memory of another process that frees it ("frees"), ends ("ends") or is killed ("is-killed") while this one
// has it open. (Not for a real GPU, where that is undefined.)
#include <csignal>
#include <cstring>

#include "../programs/processes.h"

struct Handles {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event;
};

__global__ void read(const int* p, int* to) { *to = *p; }

static void owner(const Peer& peer, const char* what) {
  Handles handles;
  cudaEvent_t event;
  int* p;
  OK(cudaMalloc(&p, 4096));
  OK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  OK(cudaIpcGetMemHandle(&handles.memory, p));
  OK(cudaIpcGetEventHandle(&handles.event, event));
  peer.send(handles);
  (void)peer.receive<char>();
  if (std::strcmp(what, "is-killed") == 0) raise(SIGKILL);
  if (std::strcmp(what, "ends") == 0) return;
  OK(cudaFree(p));
  OK(cudaEventDestroy(event));
  OK(cudaDeviceSynchronize());  // the event is gone now
  peer.meet();
  (void)peer.receive<char>();
}

int main(int, char** arguments) {
  const char* const what = arguments[1];
  const Process process([&](const Peer& peer) { owner(peer, what); });
  const auto handles = process.peer().receive<Handles>();
  int *p, *again, *mine, value;
  cudaEvent_t event, late;
  OK(cudaMalloc(&mine, sizeof *mine));
  OK(cudaIpcOpenMemHandle((void**)&p, handles.memory, cudaIpcMemLazyEnablePeerAccess));
  OK(cudaIpcOpenEventHandle(&event, handles.event));
  OK(cudaMemset(p, 0, 4096));
  process.peer().send(char{1});
  const bool frees = std::strcmp(what, "frees") == 0;
  if (frees)
    process.peer().meet();
  else
    EXPECT(waitpid(process.id(), nullptr, 0) == process.id());
  // A process that does not say that it ends is missed a moment later.
  for (int i = 0; i < 10'000 && cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess;
       i++)
    usleep(1000);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT_RESULT(cudaErrorMapBufferObjectFailed, cudaIpcOpenEventHandle(&late, handles.event));
  OK(cudaStreamWaitEvent(nullptr, event, 0));  // which holds up nothing
  OK(cudaEventSynchronize(event));
  OK(cudaIpcCloseMemHandle(p));
  EXPECT_RESULT(cudaErrorMapBufferObjectFailed,
                cudaIpcOpenMemHandle((void**)&again, handles.memory, cudaIpcMemLazyEnablePeerAccess));
  if (frees) process.peer().send(char{1});
  read<<<1, 1>>>(p, mine);
  EXPECT_RESULT(cudaErrorIllegalAddress, cudaDeviceSynchronize());
  return 0;
}
