// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Copy and fill nodes: one, two and three dimensions, device variables, pageable host memory.
#include <vector>

#include "expect.h"

__device__ int table[8];
__global__ void twice() { table[threadIdx.x] *= 2; }

int main() {
  cudaGraph_t graph;
  OK(cudaGraphCreate(&graph, 0));
  std::vector<int> input(8), output(8);
  for (int i = 0; i < 8; i++) input[i] = i;

  // Host to variable, kernel, variable to host.
  cudaGraphNode_t in, kernel, out;
  OK(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, table, input.data(), 8 * sizeof(int), 0,
                                    cudaMemcpyHostToDevice));
  cudaKernelNodeParams k = {};
  k.func = reinterpret_cast<void*>(twice);
  k.gridDim = dim3(1);
  k.blockDim = dim3(8);
  OK(cudaGraphAddKernelNode(&kernel, graph, &in, 1, &k));
  OK(cudaGraphAddMemcpyNodeFromSymbol(&out, graph, &kernel, 1, output.data(), table, 8 * sizeof(int), 0,
                                      cudaMemcpyDeviceToHost));

  // A volume: filled, one corner overwritten from packed host memory, fetched as a whole.
  const size_t width = 64, height = 6, depth = 4;
  cudaPitchedPtr volume;
  OK(cudaMalloc3D(&volume, make_cudaExtent(width, height, depth)));
  std::vector<unsigned char> corner(16 * 3 * 2, 7), all(width * height * depth);
  cudaMemsetParams fill = {volume.ptr, volume.pitch, 0x0102, 2, width / 2, height * depth};
  cudaGraphNode_t filled, written, fetched;
  OK(cudaGraphAddMemsetNode(&filled, graph, nullptr, 0, &fill));
  cudaMemcpy3DParms c = {};
  c.srcPtr = make_cudaPitchedPtr(corner.data(), 16, 16, 3);
  c.dstPtr = volume;
  c.dstPos = make_cudaPos(8, 2, 1);
  c.extent = make_cudaExtent(16, 3, 2);
  c.kind = cudaMemcpyHostToDevice;
  OK(cudaGraphAddMemcpyNode(&written, graph, &filled, 1, &c));
  cudaMemcpy3DParms told = {};
  OK(cudaGraphMemcpyNodeGetParams(written, &told));
  EXPECT(told.dstPos.x == 8 && told.extent.depth == 2 && told.srcPtr.ptr == corner.data());
  cudaMemcpy3DParms f = {};
  f.srcPtr = volume;
  f.dstPtr = make_cudaPitchedPtr(all.data(), width, width, height);
  f.extent = make_cudaExtent(width, height, depth);
  f.kind = cudaMemcpyDeviceToHost;
  OK(cudaGraphAddMemcpyNode(&fetched, graph, &written, 1, &f));

  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 8; i++) EXPECT(output[i] == 2 * i);
  for (size_t z = 0; z < depth; z++)
    for (size_t y = 0; y < height; y++)
      for (size_t x = 0; x < width; x++) {
        const bool inside = x >= 8 && x < 24 && y >= 2 && y < 5 && z >= 1 && z < 3;
        EXPECT(all[(z * height + y) * width + x] == (inside ? 7 : x % 2 ? 1 : 2));
      }

  // In an executable a one-dimensional copy may get other ends of the same kind of memory.
  std::vector<int> elsewhere(8);
  OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, out, elsewhere.data(), table, 4 * sizeof(int), 0,
                                                cudaMemcpyDeviceToHost));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(elsewhere[3] == 6 && elsewhere[4] == 0);
  int* device = nullptr;
  OK(cudaMalloc(&device, 64));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParamsFromSymbol(
                                           exec, out, device, table, 4, 0, cudaMemcpyDeviceToDevice));
  // One of three dimensions may not, says CUDA's reference; drivers take it or refuse it.
  fill.elementSize = 3;
  EXPECT_RESULT(cudaErrorInvalidValue, cudaGraphMemsetNodeSetParams(filled, &fill));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  return 0;
}
