// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A captured kernel that launches kernels is a node of its graph like any other: what comes behind the node
// comes behind its children, at each launch of the graph; and the driver API launches such a kernel.
// nvcc: -rdc=true -lcudadevrt -lcuda
#include "driver.h"
#include "expect.h"

__global__ void add(int* sum, int n) { atomicAdd(sum, n); }
__global__ void parent(int* sum, int children) {
  for (int i = 1; i <= children; i++) add<<<2, 1, 0, cudaStreamFireAndForget>>>(sum, i);
}
__global__ void twice(const int* sum, int* result) { *result = 2 * *sum; }

int read(const int* p) {
  int value = 0;
  OK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

int main() {
  int *sum = nullptr, *result = nullptr;
  OK(cudaMalloc(&sum, sizeof *sum));
  OK(cudaMalloc(&result, sizeof *result));
  OK(cudaMemset(sum, 0, sizeof *sum));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  parent<<<1, 1, 0, stream>>>(sum, 4);
  twice<<<1, 1, 0, stream>>>(sum, result);
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int launch = 1; launch <= 3; launch++) {
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT_VALUE(20 * launch, read(sum));
    EXPECT_VALUE(40 * launch, read(result));
  }
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));

  cudaFunction_t function;
  OK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(parent)));
  OK(cudaMemset(sum, 0, sizeof *sum));
  int children = 3;
  void* arguments[] = {&sum, &children};
  DRIVER_OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  DRIVER_OK(cuStreamSynchronize(stream));
  EXPECT_VALUE(12, read(sum));
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(result));
  OK(cudaFree(sum));
}
