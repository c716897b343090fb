// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Memory that a graph allocates and frees itself: by nodes, by a captured cudaMallocAsync, and freed from
// outside.
#include "expect.h"

__global__ void set(int* p, int value) { *p = value; }
__global__ void add(int* to, const int* from) { *to += *from; }

int main() {
  int* result = nullptr;
  OK(cudaMalloc(&result, sizeof(int)));
  OK(cudaMemset(result, 0, sizeof(int)));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));

  // A temporary that lives inside the graph.
  int* temporary = nullptr;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&temporary, 1 << 20, stream));
  set<<<1, 1, 0, stream>>>(temporary, 5);
  add<<<1, 1, 0, stream>>>(result, temporary);
  OK(cudaFreeAsync(temporary, stream));
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec, second;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT_RESULT(cudaErrorNotSupported, cudaGraphInstantiate(&second, graph, 0));  // one executable at a time
  cudaGraph_t clone;
  EXPECT_RESULT(cudaErrorNotSupported, cudaGraphClone(&clone, graph));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  int value = 0;
  OK(cudaMemcpy(&value, result, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 10);
  // The memory stays mapped for the executable, which may be launched again.
  size_t used = 1;
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  if (used < 1 << 20) std::fprintf(stderr, "%zu bytes used\n", used);
  EXPECT(used >= 1 << 20);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));  // some of it, for a while

  // Memory that outlives the launch: used by the stream afterwards, and freed there.
  OK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = 4096;
  cudaGraphNode_t node;
  OK(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &p));
  EXPECT(p.dptr != nullptr);
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, stream));
  set<<<1, 1, 0, stream>>>(static_cast<int*>(p.dptr), 77);
  OK(cudaMemcpyAsync(&value, p.dptr, sizeof value, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(value == 77);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphLaunch(exec, stream));  // the first is not freed yet
  OK(cudaFreeAsync(p.dptr, stream));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaFree(p.dptr));
  OK(cudaGraphExecDestroy(exec));

  // Or freed by the next launch.
  OK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  unsigned long long flags = 0;
  OK(cudaGraphExecGetFlags(exec, &flags));
  EXPECT(flags == cudaGraphInstantiateFlagAutoFreeOnLaunch);
  for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaFree(p.dptr));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  return 0;
}
