// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// wmma with 8-bit integers, signed and unsigned: products summed up exactly in 32 bits.
#include <mma.h>

#include "expect.h"

using namespace nvcuda;

template <int M, int N, typename T, typename LayoutA, typename LayoutB>
__global__ void multiply(const T* a, const T* b, int* c, int lda, int ldb) {
  wmma::fragment<wmma::matrix_a, M, N, 16, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, 16, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, 16, int> sum;
  wmma::fill_fragment(sum, 7);
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(c, sum, N, wmma::mem_row_major);
}

template <int M, int N, typename T>
void check() {
  T *a, *b;
  int* c;
  OK(cudaMallocManaged(&a, M * 16));
  OK(cudaMallocManaged(&b, N * 16));
  OK(cudaMallocManaged(&c, M * N * sizeof(int)));
  for (int i = 0; i < M * 16; ++i) a[i] = T(i * 37);
  for (int i = 0; i < N * 16; ++i) b[i] = T(i * 91);
  for (int turned = 0; turned < 2; ++turned) {  // rows times columns, then the other way round
    if (turned)
      multiply<M, N, T, wmma::col_major, wmma::row_major><<<1, 32>>>(a, b, c, M, N);
    else
      multiply<M, N, T, wmma::row_major, wmma::col_major><<<1, 32>>>(a, b, c, 16, 16);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < M; ++i)
      for (int j = 0; j < N; ++j) {
        int expected = 7;
        for (int k = 0; k < 16; ++k)
          expected += int(a[turned ? k * M + i : i * 16 + k]) * int(b[turned ? k * N + j : j * 16 + k]);
        EXPECT(c[i * N + j] == expected);
      }
  }
  OK(cudaFree(a));
  OK(cudaFree(b));
  OK(cudaFree(c));
}

int main() {
  check<16, 16, signed char>();
  check<32, 8, signed char>();
  check<8, 32, signed char>();
  check<16, 16, unsigned char>();
  check<32, 8, unsigned char>();
  check<8, 32, unsigned char>();
}
