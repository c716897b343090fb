// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: init shared-memory, line 20
// One row of many is never loaded. Straight-line code with more requests than the machine remembers address
// patterns for: the checks must see each, whichever request left its pattern before.
constexpr int kRows = 150, kThreads = 32;

__global__ void sums(const float* x, float* y) {
  __shared__ float tile[kRows][kThreads];
#pragma unroll
  for (int row = 0; row < kRows; ++row) {
#ifndef FIXED
    if (row == 77) continue;
#endif
    tile[row][threadIdx.x] = x[row * kThreads + threadIdx.x];
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int row = 0; row < kRows; ++row) sum += tile[row][kThreads - 1 - threadIdx.x];
  y[threadIdx.x] = sum;
}
int main() {
  float *x, *y;
  cudaMalloc(&x, sizeof(float) * kRows * kThreads);
  cudaMalloc(&y, sizeof(float) * kThreads);
  cudaMemset(x, 0, sizeof(float) * kRows * kThreads);
  sums<<<1, kThreads>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
