// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Copies, fills and memory in kernels: cudaMemcpyAsync and cudaMemsetAsync keep their stream's order with
// launches; cudaMalloc in a kernel gives memory that its children use and free.
// nvcc: -rdc=true -lcudadevrt
#include "expect.h"

constexpr int kCount = 1000;

__global__ void add(int* data, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < kCount) data[i] += n;
}

__global__ void pipeline(int* a, int* b, int* results) {
  constexpr int kThreads = 128, kBlocks = (kCount + kThreads - 1) / kThreads;
  results[0] = cudaMemsetAsync(a, 0, kCount * sizeof(int), cudaStream_t{});
  add<<<kBlocks, kThreads>>>(a, 5);
  results[1] = cudaMemcpyAsync(b, a, kCount * sizeof(int), cudaMemcpyDeviceToDevice, cudaStream_t{});
  add<<<kBlocks, kThreads>>>(a, 100);
  add<<<kBlocks, kThreads>>>(b, 1);
  results[2] = cudaMemcpyAsync(b, a, sizeof(int), cudaMemcpyHostToDevice, cudaStream_t{});
}

__global__ void sum_and_free(int* list, int n, int* sum) {
  for (int i = 0; i < n; i++) *sum += list[i];
  cudaFree(list);
}

__global__ void make_list(int n, int* sum) {
  int* list = nullptr;
  if (cudaMalloc(&list, n * sizeof(int)) != cudaSuccess) return;
  for (int i = 0; i < n; i++) list[i] = i;
  sum_and_free<<<1, 1>>>(list, n, sum);
}

int main() {
  int *a = nullptr, *b = nullptr, *results = nullptr, host[kCount];
  OK(cudaMalloc(&a, sizeof host));
  OK(cudaMalloc(&b, sizeof host));
  OK(cudaMalloc(&results, 3 * sizeof(int)));
  pipeline<<<1, 1>>>(a, b, results);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; i++) EXPECT_VALUE(105, host[i]);
  OK(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCount; i++) EXPECT_VALUE(6, host[i]);
  OK(cudaMemcpy(host, results, 3 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(host[0] == cudaSuccess && host[1] == cudaSuccess && host[2] != cudaSuccess);

  int *sum = nullptr, total = 0;
  OK(cudaMalloc(&sum, sizeof total));
  OK(cudaMemset(sum, 0, sizeof total));
  make_list<<<1, 1>>>(100, sum);
  OK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
  EXPECT_VALUE(4950, total);
  for (int* each : {a, b, results, sum}) OK(cudaFree(each));
}
