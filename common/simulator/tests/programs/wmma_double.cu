// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// wmma with double: 8x8x4 tiles, fused multiply-adds in double precision.
// needs: compute_80
#include <mma.h>

#include <cmath>

#include "expect.h"

using namespace nvcuda;

template <typename LayoutA, typename LayoutB>
__global__ void multiply(const double* a, const double* b, double* c, int lda, int ldb,
                         wmma::layout_t layout) {
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, LayoutB> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
  wmma::load_matrix_sync(sum, c, 8, layout);
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(c, sum, 8, layout);
}

int main() {
  double *a, *b, *c;
  OK(cudaMallocManaged(&a, 32 * sizeof *a));
  OK(cudaMallocManaged(&b, 32 * sizeof *b));
  OK(cudaMallocManaged(&c, 64 * sizeof *c));
  for (int i = 0; i < 32; ++i) a[i] = std::exp(i / 8.0), b[i] = std::sin(double(i));
  for (int turned = 0; turned < 2; ++turned) {
    for (int i = 0; i < 64; ++i) c[i] = i;
    if (turned)
      multiply<wmma::col_major, wmma::row_major><<<1, 32>>>(a, b, c, 8, 8, wmma::mem_col_major);
    else
      multiply<wmma::row_major, wmma::col_major><<<1, 32>>>(a, b, c, 4, 4, wmma::mem_row_major);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 8; ++j) {
        const int place = turned ? j * 8 + i : i * 8 + j;
        double expected = place;
        for (int k = 0; k < 4; ++k)
          expected = std::fma(a[turned ? k * 8 + i : i * 4 + k], b[turned ? k * 8 + j : j * 4 + k], expected);
        EXPECT(std::fabs(c[place] - expected) <= 1e-13 * std::fabs(expected) + 1e-12);
      }
  }
}
