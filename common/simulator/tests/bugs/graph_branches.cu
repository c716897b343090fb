// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race stream-order, lines 8 and 11
// advice: add the dependency
// says: nodes of a graph run side by side
// A captured fork: the second branch reads what the first writes, and has waited for the fork only.
__global__ void produce(int* x) {
  x[threadIdx.x] = threadIdx.x;
}
__global__ void consume(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x];
}
int main() {
  int *x, *y;
  cudaStream_t a, b;
  cudaEvent_t fork, join;
  cudaGraph_t graph;
  cudaGraphExec_t launchable;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaMalloc(&x, 1024);
  cudaMalloc(&y, 1024);
  cudaMemset(x, 0, 1024);
  cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
#ifdef FIXED
  produce<<<1, 256, 0, a>>>(x);
#endif
  cudaEventRecord(fork, a);
#ifndef FIXED
  produce<<<1, 256, 0, a>>>(x);
#endif
  cudaStreamWaitEvent(b, fork, 0);
  consume<<<1, 256, 0, b>>>(x, y);
  cudaEventRecord(join, b);
  cudaStreamWaitEvent(a, join, 0);
  cudaStreamEndCapture(a, &graph);
  cudaGraphInstantiate(&launchable, graph, 0);
  cudaGraphLaunch(launchable, a);
  cudaGraphLaunch(launchable, a);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(launchable);
  cudaGraphDestroy(graph);
  cudaFree(x);
  cudaFree(y);
}
