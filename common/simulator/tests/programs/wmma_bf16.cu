// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// wmma with bfloat16: the range of float, 8 bits of precision; sums are float.
// needs: compute_80
#include <cuda_bf16.h>
#include <mma.h>

#include "expect.h"

using namespace nvcuda;

__global__ void multiply(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

int main() {
  __nv_bfloat16 *a, *b;
  float* c;
  OK(cudaMallocManaged(&a, 256 * sizeof *a));
  OK(cudaMallocManaged(&b, 256 * sizeof *b));
  OK(cudaMallocManaged(&c, 256 * sizeof *c));
  for (int i = 0; i < 256; ++i)
    a[i] = float(i % 9 - 4), b[i] = float(i % 7 - 3) * 0x1p60f;  // too large for half
  multiply<<<1, 32>>>(a, b, c);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float expected = 0;
      for (int k = 0; k < 16; ++k) expected += float(a[i * 16 + k]) * float(b[j * 16 + k]);
      EXPECT(c[i * 16 + j] == expected);
    }
}
