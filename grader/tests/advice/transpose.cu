// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A tile in shared memory that is read by columns: 32-way conflicts, and none when its rows are padded.
#include <cuda_runtime.h>

constexpr int kTile = 32;

template <int kPad>
__device__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile + kPad];
  const int x = blockIdx.x * kTile, y = blockIdx.y * kTile;
  for (int r = threadIdx.y; r < kTile; r += 8) tile[r][threadIdx.x] = in[(y + r) * n + x + threadIdx.x];
  __syncthreads();
  for (int r = threadIdx.y; r < kTile; r += 8)
    out[(x + r) * n + y + threadIdx.x] = tile[threadIdx.x][r];  // advice: bank-conflict
}

__global__ void plain(const float* in, float* out, int n) { transpose_tile<0>(in, out, n); }
__global__ void padded(const float* in, float* out, int n) { transpose_tile<1>(in, out, n); }

__global__ void through_columns(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const float value = in[y * n + x];
  out[x * n + y] = value;  // advice: uncoalesced-access
}

int main() {
  const int n = 1024;
  float *in, *out;
  cudaMalloc(&in, sizeof(float) * n * n);
  cudaMalloc(&out, sizeof(float) * n * n);
  cudaMemset(in, 0, sizeof(float) * n * n);
  const dim3 grid(n / kTile, n / kTile), block(kTile, 8);
  plain<<<grid, block>>>(in, out, n);
  padded<<<grid, block>>>(in, out, n);
  through_columns<<<dim3(n / 32, n / 8), block>>>(in, out, n);
  return cudaDeviceSynchronize();
}
