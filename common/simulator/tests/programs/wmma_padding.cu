// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Block tiles in shared memory with padded rows: 16 bytes more a row put the rows of a tile into different
// banks. The result is the same; the counters (./lab run --counters) tell both kernels apart.
#include <cuda_fp16.h>
#include <mma.h>

#include "expect.h"

using namespace nvcuda;
constexpr int kSize = 64;

template <int kPadding>
__global__ void multiply(const half* a, const half* b, float* c) {
  constexpr int kRow = kSize + kPadding;
  __shared__ alignas(32) half tile_a[kSize * kRow], tile_b[kSize * kRow];
  for (int i = threadIdx.x; i < kSize * kSize; i += blockDim.x) {
    tile_a[i / kSize * kRow + i % kSize] = a[i];
    tile_b[i / kSize * kRow + i % kSize] = b[i];
  }
  __syncthreads();
  const int warp = threadIdx.x / 32, row = warp / 4 * 16, column = warp % 4 * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < kSize; k += 16) {
    wmma::load_matrix_sync(fa, tile_a + row * kRow + k, kRow);
    wmma::load_matrix_sync(fb, tile_b + k * kRow + column, kRow);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(c + row * kSize + column, sum, kSize, wmma::mem_row_major);
}

int main() {
  half *a, *b;
  float* c;
  OK(cudaMallocManaged(&a, kSize * kSize * sizeof *a));
  OK(cudaMallocManaged(&b, kSize * kSize * sizeof *b));
  OK(cudaMallocManaged(&c, kSize * kSize * sizeof *c));
  for (int i = 0; i < kSize * kSize; ++i) a[i] = float(i % 7 - 3), b[i] = float(i % 11 - 5);
  for (const bool padded : {false, true}) {
    if (padded)
      multiply<8><<<1, 512>>>(a, b, c);
    else
      multiply<0><<<1, 512>>>(a, b, c);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < kSize; ++i)
      for (int j = 0; j < kSize; ++j) {
        float expected = 0;
        for (int k = 0; k < kSize; ++k) expected += float(a[i * kSize + k]) * float(b[k * kSize + j]);
        EXPECT(c[i * kSize + j] == expected);
      }
  }
}
