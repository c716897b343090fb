// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// One kernel of a module has an instruction that no GPU has: its launch fails, as a launch whose PTX the
// driver cannot compile, and the other kernel runs before and after it. (Not for a real GPU: ptxas would
// refuse it.)
#include "expect.h"

__global__ void odd(int* p) {
  int value;
  asm("frobnicate.u32 %0, 7;" : "=r"(value));
  *p = value;
}

__global__ void even(int* p) { *p += 2; }

int main() {
  int* p = nullptr;
  OK(cudaMallocManaged(&p, 4));
  *p = 0;
  even<<<1, 1>>>(p);
  odd<<<1, 1>>>(p);
  EXPECT_RESULT(cudaErrorInvalidPtx, cudaPeekAtLastError());
  EXPECT_RESULT(cudaErrorInvalidPtx, cudaGetLastError());
  void* arguments[] = {&p};
  EXPECT_RESULT(cudaErrorInvalidPtx, cudaLaunchKernel(odd, dim3(1), dim3(1), arguments, 0, nullptr));
  OK(cudaDeviceSynchronize());

  cudaGraph_t graph;
  cudaGraphNode_t node;
  OK(cudaGraphCreate(&graph, 0));
  cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void*>(odd);
  parameters.gridDim = parameters.blockDim = dim3(1);
  parameters.kernelParams = arguments;
  EXPECT_RESULT(cudaErrorInvalidPtx, cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
  OK(cudaGraphDestroy(graph));

  cudaGetLastError();
  even<<<1, 1>>>(p);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  EXPECT(*p == 4);
  OK(cudaFree(p));
  return 0;
}
