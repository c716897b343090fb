// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race stream-order, line 9
// says: kernel 'add', launched by 'twice', writes
// advice: into one stream
// nvcc: -rdc=true -lcudadevrt
// The same where the kernel that launches them is the only node of a graph.
__global__ void add(int* total, int value) {
  *total += value;
}
__global__ void twice(int* total) {
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  add<<<1, 1, 0, first>>>(total, 1);
#ifdef FIXED
  add<<<1, 1, 0, first>>>(total, 2);
#else
  add<<<1, 1, 0, second>>>(total, 2);
#endif
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}
int main() {
  int* total;
  cudaMalloc(&total, sizeof *total);
  cudaMemset(total, 0, sizeof *total);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t node;
  void* arguments[] = {&total};
  cudaKernelNodeParams parameters = {};
  parameters.func = reinterpret_cast<void*>(twice);
  parameters.gridDim = parameters.blockDim = 1;
  parameters.kernelParams = arguments;
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters);
  cudaGraphExec_t executable;
  cudaGraphInstantiate(&executable, graph);
  cudaGraphLaunch(executable, 0);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaFree(total);
}
