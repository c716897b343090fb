// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// wmma below the byte: 4-bit integers, and matrices of single bits multiplied by XOR and population count.
#include <mma.h>

#include "expect.h"

using namespace nvcuda;
namespace experimental = nvcuda::wmma::experimental;

__global__ void nibbles(const unsigned* a, const unsigned* b, int* c) {
  wmma::fragment<wmma::matrix_a, 8, 8, 32, experimental::precision::s4, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 32, experimental::precision::s4, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 32, int> sum;
  wmma::fill_fragment(sum, 0);
  wmma::load_matrix_sync(fa, a, 32);
  wmma::load_matrix_sync(fb, b, 32);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

__global__ void bits(const unsigned* a, const unsigned* b, int* c) {
  wmma::fragment<wmma::matrix_a, 8, 8, 128, experimental::precision::b1, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, experimental::precision::b1, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
  wmma::fill_fragment(sum, 1);
  wmma::load_matrix_sync(fa, a, 128);
  wmma::load_matrix_sync(fb, b, 128);
  wmma::bmma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

int nibble(unsigned word, int i) { return int(word << (28 - 4 * i)) >> 28; }

int main() {
  unsigned *a, *b;  // 8 rows of 16 bytes
  int* c;
  OK(cudaMallocManaged(&a, 128));
  OK(cudaMallocManaged(&b, 128));
  OK(cudaMallocManaged(&c, 256));
  for (unsigned i = 0; i < 32; ++i) a[i] = i * 2654435761u, b[i] = ~i * 40503u * 65537u;
  nibbles<<<1, 32>>>(a, b, c);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      int expected = 0;
      for (int k = 0; k < 32; ++k)
        expected += nibble(a[i * 4 + k / 8], k % 8) * nibble(b[j * 4 + k / 8], k % 8);
      EXPECT(c[i * 8 + j] == expected);
    }
  bits<<<1, 32>>>(a, b, c);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      int expected = 1;
      for (int w = 0; w < 4; ++w) expected += __builtin_popcount(a[i * 4 + w] ^ b[j * 4 + w]);
      EXPECT(c[i * 8 + j] == expected);
    }
}
