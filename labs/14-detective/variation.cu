// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 14, part F: how restless each row of a matrix is. Check with  ./lab grade 14f
//
// TODO 1 (1 to 8 lines): it compiles, and it is wrong. Find out why, and repair it.

#include "variation.h"

namespace {

constexpr int kThreads = 256;

/// A block for each row. Each element is read from memory once.
__global__ void variation_kernel(const float* x, float* y, int columns) {
  __shared__ float tile[kThreads + 1];
  const float* row = x + std::size_t{blockIdx.x} * columns;
  const int t = static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int c = t; c + 1 < columns; c += kThreads) {
    if (t == 0) tile[0] = row[c];
    tile[t + 1] = row[c + 1];
    __syncthreads();
    sum += fabsf(tile[t + 1] - tile[t]);
    __syncthreads();
  }
  tile[t] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) tile[t] += tile[t + half];
  }
  if (t == 0) y[blockIdx.x] = tile[0];
}

}  // namespace

void variation(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  variation_kernel<<<rows, kThreads, 0, stream>>>(x, y, columns);
}
