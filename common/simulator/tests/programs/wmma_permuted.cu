// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Code that uses a fragment's elements without assuming which they are: D = relu(2 A B + C). It holds for any
// layout, so also under --permute-fragments, where each fragment is laid out as no hardware does. run:
// --permute-fragments
#include <cuda_fp16.h>
#include <mma.h>

#include "expect.h"

using namespace nvcuda;

__global__ void multiply(const half* a, const half* b, const float* c, float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, bias;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::load_matrix_sync(bias, c, 16, wmma::mem_row_major);
  for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = fa.x[i] + fa.x[i];
  wmma::mma_sync(sum, fa, fb, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = fmaxf(sum.x[i] + bias.x[i], 0.0f);
  wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

int main() {
  half *a, *b;
  float *c, *d;
  OK(cudaMallocManaged(&a, 256 * sizeof *a));
  OK(cudaMallocManaged(&b, 256 * sizeof *b));
  OK(cudaMallocManaged(&c, 256 * sizeof *c));
  OK(cudaMallocManaged(&d, 256 * sizeof *d));
  for (int i = 0; i < 256; ++i) a[i] = float(i % 7 - 3), b[i] = float(i % 11 - 5), c[i] = float(i % 13 - 6);
  multiply<<<1, 32>>>(a, b, c, d);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float expected = c[i * 16 + j];
      for (int k = 0; k < 16; ++k) expected += 2 * float(a[k * 16 + i]) * float(b[k * 16 + j]);
      EXPECT(d[i * 16 + j] == (expected > 0 ? expected : 0));
    }
}
