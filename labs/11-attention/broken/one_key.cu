// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The running sum of attention for queries and keys of one number each, a thread for each query: no score is
// ever written, and keys come from shared memory. It is right. What takes so long?
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kKeys = 256, kThreads = 256, kQueries = 216 * kThreads;  // two blocks an SM of an A100

/// 2^x in one instruction, as in tiles.h.
__device__ float power_of_two(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

__global__ void attend(const float* q, const float* k, const float* v, float* o) {
  __shared__ float keys[kKeys], values[kKeys];
  keys[threadIdx.x] = k[threadIdx.x];
  values[threadIdx.x] = v[threadIdx.x];
  __syncthreads();
  const int row = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const float query = q[row];
  float most = -1e30F, sum = 0, weighted = 0;
  for (int j = 0; j < kKeys; ++j) {
    const float score = query * keys[j], larger = fmaxf(most, score);
    const float shrink = power_of_two(most - larger), weight = power_of_two(score - larger);
    sum = sum * shrink + weight;
    weighted = weighted * shrink + weight * values[j];
    most = larger;
  }
  o[row] = weighted / sum;
}

int main() {
  static_assert(kKeys == kThreads, "each thread brings one key");
  float *q = nullptr, *k = nullptr, *v = nullptr, *o = nullptr;
  cudaMalloc(&q, sizeof(float) * kQueries);
  cudaMalloc(&k, sizeof(float) * kKeys);
  cudaMalloc(&v, sizeof(float) * kKeys);
  cudaMalloc(&o, sizeof(float) * kQueries);
  cudaMemset(q, 0, sizeof(float) * kQueries);
  cudaMemset(k, 0, sizeof(float) * kKeys);
  cudaMemset(v, 0, sizeof(float) * kKeys);
  attend<<<kQueries / kThreads, kThreads>>>(q, k, v, o);
  cudaDeviceSynchronize();
  cudaFree(q);
  cudaFree(k);
  cudaFree(v);
  cudaFree(o);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
