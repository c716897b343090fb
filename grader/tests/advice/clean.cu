// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Kernels with nothing to say about: a streaming one, a reduction, a tiled matrix product.
#include <cuda_runtime.h>

__global__ void saxpy(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void reduce(const float* x, float* sums, int n) {
  __shared__ float partial[8];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  v = threadIdx.x < 8 ? partial[threadIdx.x] : 0;
  for (int d = 4; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x == 0) sums[blockIdx.x] = v;
}

/// Each thread computes a 4 x 4 piece of a 64 x 64 tile.
__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[16][64 + 4], tb[16][64];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      ta[t % 16][t / 16 + e * 16] = a[(blockIdx.y * 64 + t / 16 + e * 16) * n + k + t % 16];
      tb[t / 64 + e * 4][t % 64] = b[(k + t / 64 + e * 4) * n + blockIdx.x * 64 + t % 64];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const float4 va = *reinterpret_cast<const float4*>(&ta[i][ty * 4]);
      const float4 vb = *reinterpret_cast<const float4*>(&tb[i][tx * 4]);
      const float row[4] = {va.x, va.y, va.z, va.w}, column[4] = {vb.x, vb.y, vb.z, vb.w};
#pragma unroll
      for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int s = 0; s < 4; ++s) sum[r][s] += row[r] * column[s];
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r)
    *reinterpret_cast<float4*>(&c[(blockIdx.y * 64 + ty * 4 + r) * n + blockIdx.x * 64 + tx * 4]) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}

int main() {
  const int n = 1 << 20, side = 768;
  float *x, *y, *sums;
  cudaMalloc(&x, sizeof(float) * n);
  cudaMalloc(&y, sizeof(float) * n);
  cudaMalloc(&sums, sizeof(float) * n);
  cudaMemset(x, 0, sizeof(float) * n);
  cudaMemset(y, 0, sizeof(float) * n);
  saxpy<<<n / 256, 256>>>(2.0f, x, y, n);
  reduce<<<432, 256>>>(x, sums, n);
  multiply<<<dim3(side / 64, side / 64), dim3(16, 16)>>>(x, y, sums, side);
  return cudaDeviceSynchronize();
}
