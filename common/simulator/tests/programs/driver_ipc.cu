// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The driver API: memory and an event that processes share.
// nvcc: -lcuda
#include "driver.h"
#include "processes.h"

constexpr unsigned kN = 1000;

struct Handles {
  CUipcMemHandle memory;
  CUipcEventHandle event;
};

static CUcontext start() {
  CUcontext context;
  DRIVER_OK(cuInit(0));
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  return context;
}

static void child(const Peer& parent) {
  const auto handles = parent.receive<Handles>();
  const CUcontext context = start();
  CUdeviceptr p = 0, again = 0;
  CUevent event;
  CUstream stream;
  DRIVER_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVER_OK(cuIpcOpenMemHandle(&p, handles.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  DRIVER_OK(cuIpcOpenEventHandle(&event, handles.event));
  DRIVER_OK(cuStreamWaitEvent(stream, event, 0));
  unsigned host[kN];
  DRIVER_OK(cuMemcpyDtoHAsync(host, p, sizeof host, stream));
  DRIVER_OK(cuMemsetD32Async(p, 9, kN, stream));
  DRIVER_OK(cuEventRecord(event, stream));
  DRIVER_OK(cuStreamSynchronize(stream));
  for (const unsigned value : host) EXPECT(value == 7);
  CUipcMemHandle none{};
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE,
                cuIpcOpenMemHandle(&again, none, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  DRIVER_OK(cuIpcCloseMemHandle(p));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuIpcCloseMemHandle(p));
  // What is open still ends with the context.
  DRIVER_OK(cuIpcOpenMemHandle(&p, handles.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  DRIVER_OK(cuCtxDestroy(context));
}

int main() {
  const Process process(child);
  const CUcontext context = start();
  CUdeviceptr p = 0;
  CUevent event;
  Handles handles;
  DRIVER_OK(cuMemAlloc(&p, kN * sizeof(unsigned)));
  int capable = 0;
  DRIVER_OK(cuPointerGetAttribute(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, p));
  EXPECT(capable == 1);
  DRIVER_OK(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  DRIVER_OK(cuIpcGetMemHandle(&handles.memory, p));
  DRIVER_OK(cuIpcGetEventHandle(&handles.event, event));
  DRIVER_OK(cuMemsetD32(p, 7, kN));
  DRIVER_OK(cuEventRecord(event, nullptr));
  process.peer().send(handles);
  process.end();
  unsigned host[kN];
  DRIVER_OK(cuMemcpyDtoH(host, p, sizeof host));
  for (const unsigned value : host) EXPECT(value == 9);
  DRIVER_OK(cuMemFree(p));
  DRIVER_OK(cuEventDestroy(event));
  DRIVER_OK(cuCtxDestroy(context));
}
