// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Kernels that launch kernels: a block's launches run in order, fire-and-forget ones and tail launches
// before the host goes on; arguments of several types; a launch sees what its thread wrote before.
// nvcc: -rdc=true -lcudadevrt
#include "expect.h"

struct Point {
  short x;
  double y;
};

__device__ int ticket;

__global__ void note(int* at) { *at = atomicAdd(&ticket, 1); }
__global__ void sum(double* to, char a, Point p, float b, const int* written) {
  *to = a + p.x + p.y + static_cast<double>(b) + *written;
}

constexpr int kBlocks = 3, kChain = 4;

__global__ void chains(int* order) {
  for (int i = 0; i < kChain; i++) note<<<1, 1>>>(order + blockIdx.x * kChain + i);
}

__global__ void all_ways(int* order, double* total, int* written) {
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(order + 4);
  note<<<1, 1>>>(order);
  note<<<1, 1, 0, cudaStreamFireAndForget>>>(order + 2);
  note<<<1, 1, 0, cudaStreamTailLaunch>>>(order + 5);
  note<<<1, 1>>>(order + 1);
  *written = 100;
  sum<<<1, 1, 0, cudaStreamFireAndForget>>>(total, 1, Point{2, 0.5}, 0.25f, written);
  note<<<1, 1, 0, cudaStreamFireAndForget>>>(order + 3);
}

void clear_ticket() {
  const int zero = 0;
  OK(cudaMemcpyToSymbol(ticket, &zero, sizeof zero));
}

int main() {
  int *order = nullptr, seen[kBlocks * kChain];
  OK(cudaMalloc(&order, sizeof seen));

  chains<<<kBlocks, 1>>>(order);
  OK(cudaGetLastError());
  OK(cudaMemcpy(seen, order, sizeof seen, cudaMemcpyDeviceToHost));
  for (int block = 0; block < kBlocks; block++)
    for (int i = 1; i < kChain; i++) EXPECT(seen[block * kChain + i - 1] < seen[block * kChain + i]);

  clear_ticket();
  double *total = nullptr, value = 0;
  OK(cudaMalloc(&total, sizeof value));
  all_ways<<<1, 1>>>(order, total, order + 6);
  OK(cudaMemcpy(seen, order, sizeof seen, cudaMemcpyDeviceToHost));
  EXPECT(seen[0] < seen[1]);
  for (int i = 0; i < 4; i++) EXPECT(seen[i] < seen[4]);
  EXPECT(seen[4] == 4 && seen[5] == 5);
  OK(cudaMemcpy(&value, total, sizeof value, cudaMemcpyDeviceToHost));
  EXPECT(value == 103.75);

  // The stream's next work waits for the children.
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  clear_ticket();
  chains<<<kBlocks, 1, 0, stream>>>(order);
  note<<<1, 1, 0, stream>>>(order);
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemcpy(seen, order, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT_VALUE(kBlocks * kChain, seen[0]);
  OK(cudaStreamDestroy(stream));
  OK(cudaFree(total));
  OK(cudaFree(order));
}
