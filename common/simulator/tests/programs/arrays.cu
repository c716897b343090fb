// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// CUDA arrays: what they are made of, and every copy from and to them.
#include <vector>

#include "expect.h"

namespace {

std::vector<int> numbers(int n, int first = 1) {
  std::vector<int> values(static_cast<size_t>(n));
  for (int i = 0; i < n; i++) values[static_cast<size_t>(i)] = first + i;
  return values;
}

void planes() {
  constexpr int kWidth = 21, kHeight = 11, kRow = kWidth * 4;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t a, b;
  OK(cudaMallocArray(&a, &format, kWidth, kHeight));
  OK(cudaMallocArray(&b, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};
  unsigned flags = 77;
  OK(cudaArrayGetInfo(&channels, &extent, &flags, b));
  EXPECT(channels.x == 32 && channels.y == 0 && channels.f == cudaChannelFormatKindSigned);
  EXPECT(extent.width == kWidth && extent.height == kHeight && extent.depth == 0);
  EXPECT_VALUE(cudaArraySurfaceLoadStore, flags);
  OK(cudaGetChannelDesc(&channels, a));
  EXPECT_VALUE(32, channels.x);

  const std::vector<int> all = numbers(kWidth * kHeight);
  OK(cudaMemcpy2DToArray(a, 0, 0, all.data(), kRow, kRow, kHeight, cudaMemcpyHostToDevice));
  std::vector<int> back(all.size());
  OK(cudaMemcpy2DFromArray(back.data(), kRow, a, 0, 0, kRow, kHeight, cudaMemcpyDeviceToHost));
  EXPECT(back == all);

  // A rectangle from one array to another, by way of a stream.
  OK(cudaMemcpy2DArrayToArray(b, 8, 3, a, 16, 5, 20, 4));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  int* d;
  OK(cudaMalloc(&d, 20 * 4));
  OK(cudaMemcpy2DFromArrayAsync(d, 20, b, 8, 3, 20, 4, cudaMemcpyDeviceToDevice, stream));
  OK(cudaMemcpy2DToArrayAsync(a, 0, 0, d, 20, 20, 4, cudaMemcpyDeviceToDevice, stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemcpy2DFromArray(back.data(), kRow, a, 0, 0, kRow, kHeight, cudaMemcpyDeviceToHost));
  for (int y = 0; y < kHeight; y++)
    for (int x = 0; x < kWidth; x++) {
      const bool moved = x < 5 && y < 4;
      EXPECT_VALUE(1 + (moved ? y + 5 : y) * kWidth + (moved ? x + 4 : x),
                   back[static_cast<size_t>(y * kWidth + x)]);
    }

  // Past the end, another handle, no array.
  EXPECT_RESULT(cudaErrorInvalidValue,
                cudaMemcpy2DToArray(a, 4, 0, all.data(), kRow, kRow, 1, cudaMemcpyHostToDevice));
  EXPECT_RESULT(cudaErrorInvalidValue,
                cudaMemcpy2DToArray(a, 0, 1, all.data(), kRow, kRow, kHeight, cudaMemcpyHostToDevice));
  OK(cudaFree(d));
  OK(cudaStreamDestroy(stream));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
  OK(cudaFreeArray(nullptr));
}

void volumes() {
  constexpr size_t kWidth = 7, kHeight = 5, kDepth = 4;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int2>();
  cudaArray_t a, b;
  OK(cudaMalloc3DArray(&a, &format, make_cudaExtent(kWidth, kHeight, kDepth)));
  OK(cudaMalloc3DArray(&b, &format, make_cudaExtent(kWidth, kHeight, kDepth), cudaArrayLayered));
  const std::vector<int> all = numbers(2 * kWidth * kHeight * kDepth);
  std::vector<int> back(all.size());
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(const_cast<int*>(all.data()), kWidth * 8, kWidth, kHeight);
  p.dstArray = a;
  p.extent = make_cudaExtent(kWidth, kHeight, kDepth);  // of elements
  p.kind = cudaMemcpyHostToDevice;
  OK(cudaMemcpy3D(&p));
  cudaMemcpy3DParms q{};
  q.srcArray = a;
  q.dstArray = b;
  q.extent = p.extent;
  q.kind = cudaMemcpyDeviceToDevice;
  OK(cudaMemcpy3D(&q));
  cudaMemcpy3DParms out{};
  out.srcArray = b;
  out.srcPos = make_cudaPos(2, 1, 3);
  out.dstPtr = make_cudaPitchedPtr(back.data(), 4 * 8, 4, 3);
  out.extent = make_cudaExtent(4, 3, 1);
  out.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3DAsync(&out));
  OK(cudaDeviceSynchronize());
  for (size_t y = 0; y < 3; y++)
    for (size_t x = 0; x < 8; x++)
      EXPECT_VALUE(all[((3 * kHeight + 1 + y) * kWidth + 2) * 2 + x], back[y * 8 + x]);
  out.srcPos.z = 4;
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpy3D(&out));

  // The same as a node of a graph.
  out.srcPos.z = 0;
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  OK(cudaGraphCreate(&graph, 0));
  OK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &out));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT_VALUE(all[(kWidth + 2) * 2], back[0]);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaFreeArray(a));
  OK(cudaFreeArray(b));
}

/// One call with two copies: into an array from rows that are longer, and from there on.
void batch() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  OK(cudaMallocArray(&array, &format, 8, 4));
  const std::vector<int> all = numbers(10 * 3);
  int *from, *to;
  OK(cudaMalloc(&from, all.size() * 4));
  OK(cudaMalloc(&to, 6 * 4));
  OK(cudaMemcpy(from, all.data(), all.size() * 4, cudaMemcpyHostToDevice));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  cudaMemcpy3DBatchOp ops[2]{};
  ops[0].src.type = cudaMemcpyOperandTypePointer;
  ops[0].src.op.ptr.ptr = from;
  ops[0].src.op.ptr.rowLength = 10;
  ops[0].dst.type = cudaMemcpyOperandTypeArray;
  ops[0].dst.op.array.array = array;
  ops[0].dst.op.array.offset = {1, 1, 0};
  ops[0].extent = make_cudaExtent(7, 3, 1);
  ops[1].src = ops[0].dst;
  ops[1].src.op.array.offset = {2, 2, 0};
  ops[1].dst.type = cudaMemcpyOperandTypePointer;
  ops[1].dst.op.ptr.ptr = to;
  ops[1].extent = make_cudaExtent(3, 2, 1);
  for (cudaMemcpy3DBatchOp& op : ops) op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  OK(cudaMemcpy3DBatchAsync(1, ops, 0, stream));
  OK(cudaMemcpy3DBatchAsync(1, ops + 1, 0, stream));
  OK(cudaStreamSynchronize(stream));
  int got[6];
  OK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 6; i++) EXPECT_VALUE(all[static_cast<size_t>((1 + i / 3) * 10 + 1 + i % 3)], got[i]);
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(from));
  OK(cudaFree(to));
  OK(cudaFreeArray(array));
}

void wrong_arguments() {
  cudaArray_t a;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMallocArray(&a, &format, 0, 4));
  EXPECT_RESULT(cudaErrorInvalidValue,
                cudaMalloc3DArray(&a, &format, make_cudaExtent(4, 5, 6), cudaArrayCubemap));
  size_t most = 0;
  OK(cudaDeviceGetTexture1DLinearMaxWidth(&most, &format, 0));
  EXPECT(most >= size_t{1} << 27);
}

}  // namespace

int main() {
  planes();
  volumes();
  batch();
  wrong_arguments();
  return 0;
}
