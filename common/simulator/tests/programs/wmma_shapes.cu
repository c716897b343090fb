// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The three shapes of wmma and its layouts: A and B by rows or by columns, C stored by rows or by columns.
#include <cuda_fp16.h>
#include <mma.h>

#include <type_traits>

#include "expect.h"

using namespace nvcuda;

template <int M, int N, typename LayoutA, typename LayoutB, typename Sum>
__global__ void multiply(const half* a, const half* b, Sum* c, int lda, int ldb, int ldc,
                         wmma::layout_t layout) {
  __shared__ alignas(32) half tile[32 * 16];
  for (int i = threadIdx.x; i < M * 16; i += 32) tile[i] = a[i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, M, N, 16, half, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, M, N, 16, half, LayoutB> fb;
  wmma::fragment<wmma::accumulator, M, N, 16, Sum> sum;
  wmma::load_matrix_sync(fa, tile, lda);  // from shared memory
  wmma::load_matrix_sync(fb, b, ldb);     // from global memory
  wmma::load_matrix_sync(sum, c, ldc, layout);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(c, sum, ldc, layout);
}

template <int M, int N, typename LayoutA, typename LayoutB, typename Sum>
void check(bool c_by_rows) {
  constexpr bool a_by_rows = std::is_same_v<LayoutA, wmma::row_major>;
  constexpr bool b_by_rows = std::is_same_v<LayoutB, wmma::row_major>;
  const int lda = a_by_rows ? 16 : M, ldb = b_by_rows ? N : 16, ldc = c_by_rows ? N : M;
  half *a, *b;
  Sum* c;
  OK(cudaMallocManaged(&a, M * 16 * sizeof(half)));
  OK(cudaMallocManaged(&b, N * 16 * sizeof(half)));
  OK(cudaMallocManaged(&c, M * N * sizeof(Sum)));
  for (int i = 0; i < M * 16; ++i) a[i] = float(i % 11 - 5);
  for (int i = 0; i < N * 16; ++i) b[i] = float(i % 13 - 6);
  for (int i = 0; i < M * N; ++i) c[i] = float(i % 9);
  multiply<M, N, LayoutA, LayoutB>
      <<<1, 32>>>(a, b, c, lda, ldb, ldc, c_by_rows ? wmma::mem_row_major : wmma::mem_col_major);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      const int place = c_by_rows ? i * N + j : j * M + i;
      float expected = float(place % 9);
      for (int k = 0; k < 16; ++k)
        expected +=
            float(a[a_by_rows ? i * 16 + k : k * M + i]) * float(b[b_by_rows ? k * N + j : j * 16 + k]);
      EXPECT(float(c[place]) == expected);
    }
  OK(cudaFree(a));
  OK(cudaFree(b));
  OK(cudaFree(c));
}

template <int M, int N, typename Sum>
void check_layouts() {
  check<M, N, wmma::row_major, wmma::row_major, Sum>(true);
  check<M, N, wmma::row_major, wmma::col_major, Sum>(false);
  check<M, N, wmma::col_major, wmma::row_major, Sum>(true);
  check<M, N, wmma::col_major, wmma::col_major, Sum>(false);
}

int main() {
  check_layouts<16, 16, float>();
  check_layouts<32, 8, float>();
  check_layouts<8, 32, float>();
  check_layouts<16, 16, half>();
  check_layouts<32, 8, half>();
  check_layouts<8, 32, half>();
}
