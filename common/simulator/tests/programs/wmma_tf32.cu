// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// wmma with tf32: float matrices, factors rounded to 11 bits by __float_to_tf32, float sums.
// needs: compute_80
#include <mma.h>

#include <cmath>

#include "expect.h"

using namespace nvcuda;

__global__ void multiply(const float* a, const float* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < 32; k += 8) {
    wmma::load_matrix_sync(fa, a + k, 32);
    wmma::load_matrix_sync(fb, b + k * 16, 16);
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
}

int main() {
  float *a, *b, *c;
  OK(cudaMallocManaged(&a, 16 * 32 * sizeof *a));
  OK(cudaMallocManaged(&b, 32 * 16 * sizeof *b));
  OK(cudaMallocManaged(&c, 256 * sizeof *c));
  for (int i = 0; i < 16 * 32; ++i) a[i] = std::sin(float(i)), b[i] = std::cos(float(i));
  multiply<<<1, 32>>>(a, b, c);
  OK(cudaDeviceSynchronize());
  double worst = 0;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      double expected = 0;
      for (int k = 0; k < 32; ++k) expected += double(a[i * 32 + k]) * b[k * 16 + j];
      worst = std::fmax(worst, std::fabs(c[j * 16 + i] - expected));
    }
  EXPECT(worst < 32 * 0x1p-10);  // two factors rounded at 2^-12 each
  EXPECT(worst > 1e-6);          // it was not float after all
}
