// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A stream's work is captured once and replayed as a graph: the copies read and write host memory at each
// launch.
#include <vector>

#include "expect.h"

__global__ void scale(float* p, int n, float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= a;
}

int main() {
  const int n = 10'000;
  const size_t bytes = n * sizeof(float);
  float *device = nullptr, *pinned = nullptr;
  OK(cudaMalloc(&device, bytes));
  OK(cudaMallocHost(&pinned, bytes));
  std::vector<float> result(n, -1);
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));

  cudaStreamCaptureStatus status;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  OK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream));
  for (int i = 0; i < 3; i++) scale<<<(n + 255) / 256, 256, 0, stream>>>(device, n, 2.0f);
  OK(cudaMemcpyAsync(result.data(), device, bytes, cudaMemcpyDeviceToHost, stream));
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);

  size_t nodes = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 5);
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT(result[0] == -1);  // nothing has run yet
  for (int round = 1; round <= 3; round++) {
    for (int i = 0; i < n; i++) pinned[i] = static_cast<float>(i % 100 + round);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++) EXPECT(result[i] == 8.0f * static_cast<float>(i % 100 + round));
  }
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  // A stream that joined a capture may go before it ends; what it captured stays.
  cudaStream_t other;
  cudaEvent_t fork, join;
  OK(cudaStreamCreate(&other));
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  OK(cudaMemset(device, 0, bytes));
  OK(cudaDeviceSynchronize());
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(fork, stream));
  OK(cudaStreamWaitEvent(other, fork, 0));
  OK(cudaMemsetAsync(device, 0x40, bytes, other));
  OK(cudaEventRecord(join, other));
  OK(cudaStreamWaitEvent(stream, join, 0));
  OK(cudaStreamDestroy(other));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(pinned[0] > 3.0f && pinned[n - 1] > 3.0f);
  OK(cudaEventDestroy(fork));
  OK(cudaEventDestroy(join));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamDestroy(stream));
  OK(cudaFreeHost(pinned));
  OK(cudaFree(device));
  return 0;
}
