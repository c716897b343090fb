// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Writes nonsense to the device's channel, which then hangs up. Every call after that gives an error, and
// what the program still holds can be given back.
#include <sys/socket.h>

#include <cstring>

#include "expect.h"

__global__ void kernel(int* p) { *p = 1; }
__device__ int variable;

int main() {
  int *p = nullptr, *host = nullptr, value = 3, n = 0;
  cudaMalloc(&p, 4);
  cudaMallocHost(&host, 4);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaGraph_t graph, with_memory;
  cudaGraphExec_t exec, memory_exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  kernel<<<1, 1, 0, stream>>>(p);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  int* inside = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&inside, 64, stream);
  cudaFreeAsync(inside, stream);
  cudaStreamEndCapture(stream, &with_memory);
  cudaGraphInstantiate(&memory_exec, with_memory, 0);
  kernel<<<1, 1>>>(p);

  char nonsense[300];
  std::memset(nonsense, 0xa5, sizeof nonsense);
  for (int fd = 3; fd < 64; ++fd) send(fd, nonsense, sizeof nonsense, MSG_NOSIGNAL);

  std::printf("%d", cudaDeviceSynchronize() != cudaSuccess);
  std::printf("%d", cudaMalloc(&p, 4) != cudaSuccess);
  std::printf("%d", cudaStreamSynchronize(stream) != cudaSuccess);
  std::printf("%d", cudaEventRecord(event, stream) != cudaSuccess);
  std::printf("%d", cudaGraphLaunch(exec, stream) != cudaSuccess);
  kernel<<<1, 1>>>(p);
  std::printf("%d", cudaGetLastError() != cudaSuccess);
  std::printf("%d", cudaMemcpyToSymbol(variable, &value, 4) != cudaSuccess);
  std::printf("%d", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, 32, 0) != cudaSuccess);
  std::printf("%d", cudaMallocManaged(&p, 64) != cudaSuccess);
  cudaFree(p);
  cudaFreeHost(host);
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
  cudaGraphExecDestroy(exec);
  cudaGraphExecDestroy(memory_exec);
  cudaGraphDestroy(graph);
  cudaGraphDestroy(with_memory);
  cudaDeviceReset();
  std::printf(" ended\n");
  return 0;
}
