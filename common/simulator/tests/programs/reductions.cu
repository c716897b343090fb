// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Sums in four ways: a tree in shared memory, warp shuffles, atomics on global memory, atomics on shared
// memory.
#include <vector>

#include "expect.h"

__device__ unsigned element(const unsigned* in, int n) {
  unsigned sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  return sum;
}

__global__ void tree(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = element(in, n);
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(out, s[0]);
}

__device__ unsigned warp_sum(unsigned value) {
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(~0u, value, delta);
  return value;
}
__global__ void shuffles(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[8];
  const unsigned sum = warp_sum(element(in, n));
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  const unsigned total = warp_sum(threadIdx.x < blockDim.x / 32 ? s[threadIdx.x] : 0);
  if (threadIdx.x == 0) atomicAdd(out, total);
}

__global__ void global_atomics(const unsigned* in, unsigned* out, int n) { atomicAdd(out, element(in, n)); }

__global__ void shared_atomics(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s;
  if (threadIdx.x == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, element(in, n));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, s);
}

int main() {
  const int n = 100003;
  std::vector<unsigned> host(n);
  unsigned expected = 0;
  for (int i = 0; i < n; i++) expected += host[i] = i * 2654435761u;
  unsigned *in, *out, result;
  OK(cudaMalloc(&in, n * sizeof(unsigned)));
  OK(cudaMalloc(&out, sizeof(unsigned)));
  OK(cudaMemcpy(in, host.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
  for (auto* kernel : {tree, shuffles, global_atomics, shared_atomics}) {
    OK(cudaMemset(out, 0, sizeof(unsigned)));
    kernel<<<20, 256>>>(in, out, n);
    OK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
    EXPECT(result == expected);
  }
  return 0;
}
