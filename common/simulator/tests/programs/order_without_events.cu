// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// What is in order though no event and no wait of the host says so: memory that a pool hands on from one
// stream to another, the launches of one executable graph, host code that has seen a kernel's flag, and
// atomics of which nobody reads the old value behind a ticket.
#include <cuda/atomic>

#include "expect.h"

constexpr int kCount = 1000;

__global__ void write(int* x, int from) {
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) x[i] = from + i;
}
__global__ void add_one(int* x) {
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) x[i] += 1;
}
__global__ void write_and_tell(int* x, int* flag) {
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) x[i] = 3 * i;
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence_system();
  cuda::atomic_ref<int, cuda::thread_scope_system>(*flag).store(1, cuda::memory_order_release);
}
__global__ void add_up(int* sum, int* most, unsigned* ticket) {
  if (threadIdx.x != 0) return;
  atomicAdd(sum, static_cast<int>(blockIdx.x));
  atomicMax(most, static_cast<int>(blockIdx.x));
  if (atomicAdd(ticket, 1) != gridDim.x - 1) return;
  atomicAdd(sum, 1000);
  atomicMax(most, 3);
}

void check_pool(cudaStream_t a, cudaStream_t b) {
  int* host = nullptr;
  OK(cudaMallocHost(&host, kCount * sizeof *host));
  for (int turn = 0; turn < 4; turn++) {
    const cudaStream_t stream = turn % 2 == 0 ? a : b;
    int* x = nullptr;
    OK(cudaMallocAsync(&x, kCount * sizeof *x, stream));
    write<<<1, 256, 0, stream>>>(x, turn);
    OK(cudaMemcpyAsync(host, x, kCount * sizeof *x, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < kCount; i++) EXPECT_VALUE(turn + i, host[i]);
    write<<<1, 256, 0, stream>>>(x, turn);
    OK(cudaFreeAsync(x, stream));
  }
  OK(cudaDeviceSynchronize());
  OK(cudaFreeHost(host));
}

void check_graph(cudaStream_t a, cudaStream_t b) {
  int *x = nullptr, seen = 0;
  OK(cudaMalloc(&x, kCount * sizeof *x));
  OK(cudaMemset(x, 0, kCount * sizeof *x));
  OK(cudaDeviceSynchronize());
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t launchable = nullptr;
  OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  add_one<<<1, 256, 0, a>>>(x);
  OK(cudaStreamEndCapture(a, &graph));
  OK(cudaGraphInstantiate(&launchable, graph, 0));
  for (int turn = 0; turn < 3; turn++) {
    OK(cudaGraphLaunch(launchable, a));
    OK(cudaGraphLaunch(launchable, b));
  }
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(&seen, x + 7, sizeof seen, cudaMemcpyDeviceToHost));
  EXPECT_VALUE(6, seen);
  OK(cudaGraphExecDestroy(launchable));
  OK(cudaGraphDestroy(graph));
  OK(cudaFree(x));
}

void check_flag() {
  int* shared = nullptr;
  OK(cudaHostAlloc(&shared, 8192, cudaHostAllocMapped));
  shared[1024] = 0;
  write_and_tell<<<1, 256>>>(shared, shared + 1024);
  const cuda::atomic_ref<int, cuda::thread_scope_system> flag(shared[1024]);
  while (flag.load(cuda::memory_order_acquire) == 0) {
  }
  for (int i = 0; i < kCount; i++) EXPECT_VALUE(3 * i, shared[i]);
  OK(cudaDeviceSynchronize());
  OK(cudaFreeHost(shared));
}

void check_unread() {
  int *counts = nullptr, seen[2];
  OK(cudaMalloc(&counts, 3 * sizeof *counts));
  OK(cudaMemset(counts, 0, 3 * sizeof *counts));
  add_up<<<8, 32>>>(counts, counts + 1, reinterpret_cast<unsigned*>(counts + 2));
  OK(cudaMemcpy(seen, counts, sizeof seen, cudaMemcpyDeviceToHost));
  EXPECT_VALUE(1028, seen[0]);
  EXPECT_VALUE(7, seen[1]);
  OK(cudaFree(counts));
}

int main() {
  cudaStream_t a = nullptr, b = nullptr;
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  check_pool(a, b);
  check_graph(a, b);
  check_flag();
  check_unread();
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
}
