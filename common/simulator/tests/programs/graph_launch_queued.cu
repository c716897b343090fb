// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Launches of a graph that wait for their turn do what the graph was when it was launched, one after the
// other.
#include <atomic>
#include <thread>

#include "expect.h"

__global__ void append(int* list, int value) { list[1 + list[0]++] = value; }

static std::atomic<bool> released{false};
static std::atomic<int> destroyed{0};
static void CUDART_CB wait_for_main(void*) {
  while (!released) std::this_thread::yield();
}
static void CUDART_CB count(void* counter) { ++*static_cast<std::atomic<int>*>(counter); }

int main() {
  int* list = nullptr;
  OK(cudaMalloc(&list, 4 * sizeof(int)));
  OK(cudaMemset(list, 0, 4 * sizeof(int)));
  OK(cudaDeviceSynchronize());
  int value = 1;
  void* arguments[] = {&list, &value};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(append);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node, host;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  static std::atomic<int> called{0};
  const cudaHostNodeParams call{count, &called};
  OK(cudaGraphAddHostNode(&host, graph, &node, 1, &call));
  cudaUserObject_t object;
  OK(cudaUserObjectCreate(&object, &destroyed, count, 1, cudaUserObjectNoDestructorSync));
  OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  OK(cudaGraphInstantiate(&exec, graph, 0));

  cudaStream_t first, second;
  OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  OK(cudaLaunchHostFunc(first, wait_for_main, nullptr));
  OK(cudaGraphLaunch(exec, first));
  value = 2;
  OK(cudaGraphExecKernelNodeSetParams(exec, node, &kernel));
  OK(cudaGraphLaunch(exec, second));  // after the first launch, whose stream waits
  value = 3;
  OK(cudaGraphExecKernelNodeSetParams(exec, node, &kernel));
  OK(cudaGraphLaunch(exec, first));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  EXPECT(cudaStreamQuery(first) == cudaErrorNotReady);
  EXPECT(cudaStreamQuery(second) == cudaErrorNotReady);
  EXPECT(called == 0 && destroyed == 0);

  released = true;
  OK(cudaStreamSynchronize(second));
  OK(cudaStreamSynchronize(first));
  int found[4] = {};
  OK(cudaMemcpy(found, list, sizeof found, cudaMemcpyDeviceToHost));
  EXPECT(found[0] == 3 && found[1] == 1 && found[2] == 2 && found[3] == 3);
  EXPECT(called == 3);
  while (destroyed == 0) std::this_thread::yield();
  OK(cudaFree(list));
  EXPECT(destroyed == 1);
  return 0;
}
