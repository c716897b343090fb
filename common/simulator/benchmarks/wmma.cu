// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <mma.h>

#include <vector>

#include "measured.h"

using namespace nvcuda;

constexpr int kN = 512, kWarps = 4;

/// A warp computes 16 x 16 of C; the four warps of a block stand side by side.
__global__ void product(const half* a, const half* b, float* c) {
  const int row = blockIdx.y * 16, column = (blockIdx.x * kWarps + threadIdx.x / 32) * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < kN; k += 16) {
    wmma::load_matrix_sync(left, a + row * kN + k, kN);
    wmma::load_matrix_sync(right, b + k * kN + column, kN);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + row * kN + column, sum, kN, wmma::mem_row_major);
}

int main() {
  std::vector<half> a(kN * kN), b(kN * kN);
  for (int i = 0; i < kN * kN; ++i) {
    a[i] = __float2half(static_cast<float>(i % 13 - 6));
    b[i] = __float2half(static_cast<float>(i % 7 - 3));
  }
  half *d_a, *d_b;
  float* d_c;
  check(cudaMalloc(&d_a, kN * kN * sizeof(half)));
  check(cudaMalloc(&d_b, kN * kN * sizeof(half)));
  check(cudaMalloc(&d_c, kN * kN * sizeof(float)));
  check(cudaMemcpy(d_a, a.data(), kN * kN * sizeof(half), cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_b, b.data(), kN * kN * sizeof(half), cudaMemcpyHostToDevice));
  measure([&] { product<<<dim3(kN / 16 / kWarps, kN / 16), kWarps * 32>>>(d_a, d_b, d_c); });
  std::vector<float> c(kN * kN);
  check(cudaMemcpy(c.data(), d_c, kN * kN * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kN; i += 37)
    for (int j = 0; j < kN; ++j) {
      float sum = 0;
      for (int k = 0; k < kN; ++k) sum += __half2float(a[i * kN + k]) * __half2float(b[k * kN + j]);
      if (c[i * kN + j] != sum) return 1;  // small integers: exact in any order
    }
}
