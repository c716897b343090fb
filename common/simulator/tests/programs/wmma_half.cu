// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Tensor cores by wmma: each warp multiplies one 16x16 tile of half matrices, with float and with half sums.
#include <cuda_fp16.h>
#include <mma.h>

#include <vector>

#include "expect.h"

using namespace nvcuda;
constexpr int kSize = 64;  // C = A B, all kSize x kSize, row-major

template <typename Sum>
__global__ void multiply(const half* a, const half* b, Sum* c) {
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> sum;
  wmma::fill_fragment(sum, Sum(0.0f));
  for (int k = 0; k < kSize; k += 16) {
    wmma::load_matrix_sync(fa, a + row * kSize + k, kSize);
    wmma::load_matrix_sync(fb, b + k * kSize + column, kSize);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = sum.x[i] * Sum(2.0f);  // any element, whichever it is
  wmma::store_matrix_sync(c + row * kSize + column, sum, kSize, wmma::mem_row_major);
}

template <typename Sum>
void check() {
  half *a, *b;
  Sum* c;
  OK(cudaMallocManaged(&a, kSize * kSize * sizeof(half)));
  OK(cudaMallocManaged(&b, kSize * kSize * sizeof(half)));
  OK(cudaMallocManaged(&c, kSize * kSize * sizeof(Sum)));
  for (int i = 0; i < kSize * kSize; ++i) a[i] = float(i % 7 - 3), b[i] = float(i % 5 - 2) / 2;
  multiply<<<dim3(kSize / 16, kSize / 16), 32>>>(a, b, c);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      float expected = 0;
      for (int k = 0; k < kSize; ++k) expected += float(a[i * kSize + k]) * float(b[k * kSize + j]);
      EXPECT(float(c[i * kSize + j]) == 2 * expected);  // small numbers: exact in half, too
    }
  OK(cudaFree(a));
  OK(cudaFree(b));
  OK(cudaFree(c));
}

int main() {
  check<float>();
  check<half>();
}
