// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// libcu++ and clusters. Compiled to PTX by corpus_test; never run.
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

__global__ void atomics(int* x, double* d) {
  cuda::atomic_ref<int, cuda::thread_scope_device> a(x[0]);
  a.fetch_add(1, cuda::memory_order_relaxed);
  a.store(3, cuda::memory_order_release);
  x[1] = a.load(cuda::memory_order_acquire);
  int expected = 3;
  a.compare_exchange_strong(expected, 4);
  a.fetch_max(7);
  cuda::atomic_ref<double, cuda::thread_scope_system> b(d[0]);
  b.fetch_add(1.0);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst);
}

__global__ void barriers(int* x, int* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int values[256];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(values + threadIdx.x, x + threadIdx.x, sizeof(int), barrier);
  barrier.arrive_and_wait();
  y[threadIdx.x] = values[255 - threadIdx.x];
}

__global__ void pipelines(int* x, int* y) {
  __shared__ int values[256];
  auto pipeline = cuda::make_pipeline();
  pipeline.producer_acquire();
  cuda::memcpy_async(values + threadIdx.x, x + threadIdx.x, cuda::aligned_size_t<4>(4), pipeline);
  pipeline.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipeline);
  __syncthreads();
  y[threadIdx.x] = values[255 - threadIdx.x];
  pipeline.consumer_release();
}

#if __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clusters(int* x) {
  __shared__ int values[32];
  const auto cluster = cooperative_groups::this_cluster();
  values[threadIdx.x] = x[threadIdx.x];
  cluster.sync();
  x[0] = cluster.map_shared_rank(values, 1)[3] + cluster.block_rank();
  cluster.sync();
}
#endif
