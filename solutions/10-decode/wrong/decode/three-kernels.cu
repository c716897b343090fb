// expect: too-slow
// needs: sim:a100-sxm4-40gb
// bench: scores in memory, three kernels
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// As the formula has it: a kernel writes all scores to memory, one makes weights of them, and one adds up the
// values. The first and the second have work for many blocks, the last for as many as there are columns.

#include "decode.h"

namespace {

constexpr int kWarps = 8;

/// A warp for each score.
__global__ void scores_kernel(const half* q, const half* k, int heads_of_cache, int n, float* scores) {
  const int lane = threadIdx.x % 32, i = blockIdx.x * kWarps + threadIdx.x / 32, head = blockIdx.y;
  if (i >= n) return;
  const half* key = k + (std::size_t(head / heads_of_cache) * n + i) * kDim;
  float score = 0;
  for (int j = lane; j < kDim; j += 32) score += __half2float(q[head * kDim + j]) * __half2float(key[j]);
  for (int distance = 16; distance > 0; distance /= 2) score += __shfl_xor_sync(0xffffffff, score, distance);
  if (lane == 0) scores[std::size_t(head) * n + i] = score * rsqrtf(kDim);
}

/// A block for each head: the largest score, and weights relative to it; their sum comes behind all scores.
__global__ void weights_kernel(float* scores, int heads, int n) {
  __shared__ float of_warps[32];
  float* mine = scores + std::size_t(blockIdx.x) * n;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, mine[i]);
  for (int distance = 16; distance > 0; distance /= 2)
    most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, distance));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = most;
  __syncthreads();
  for (const float other : of_warps) most = fmaxf(most, other);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += mine[i] = __expf(mine[i] - most);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  float all = 0;
  for (const float other : of_warps) all += other;
  scores[std::size_t(heads) * n + blockIdx.x] = all;
}

/// A block for eight columns of a head; 128 threads share the positions of each.
__global__ void values_kernel(const float* weights, const half* v, half* out, int heads_of_cache, int n) {
  __shared__ float partials[1024];
  const int column = 8 * blockIdx.x + threadIdx.x % 8, head = blockIdx.y;
  const half* values = v + std::size_t(head / heads_of_cache) * n * kDim + column;
  const float* mine = weights + std::size_t(head) * n;
  float result = 0;
  for (int i = threadIdx.x / 8; i < n; i += 128)
    result += mine[i] * __half2float(values[std::size_t(i) * kDim]);
  partials[threadIdx.x] = result;
  for (int distance = 512; distance >= 8; distance /= 2) {
    __syncthreads();
    if (threadIdx.x < distance) partials[threadIdx.x] += partials[threadIdx.x + distance];
  }
  if (threadIdx.x < 8)
    out[head * kDim + column] =
        __float2half(partials[threadIdx.x] / weights[std::size_t(gridDim.y) * n + head]);
}

}  // namespace

void decode(const half* q, const half* k, const half* v, half* out, int heads, int kv_heads, int n, float*,
            cudaStream_t stream) {
  float* scores = nullptr;
  cudaMallocAsync(&scores, (std::size_t(heads) * n + heads) * sizeof(float), stream);
  scores_kernel<<<dim3((n + kWarps - 1) / kWarps, heads), 32 * kWarps, 0, stream>>>(q, k, heads / kv_heads, n,
                                                                                    scores);
  weights_kernel<<<heads, 1024, 0, stream>>>(scores, heads, n);
  values_kernel<<<dim3(kDim / 8, heads), 1024, 0, stream>>>(scores, v, out, heads / kv_heads, n);
  cudaFreeAsync(scores, stream);
}
