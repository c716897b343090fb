// expect: none
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// WMMA, and nothing else: a warp makes one 16 x 16 tile of C, straight from global memory. Every operand is
// loaded for a single product.

#include "edges.h"
#include "gemm.h"

namespace {

using namespace nvcuda;

constexpr int kWarps = 4;  // a block, side by side

// The 16x16 tile at (row, column), copied to shared memory first: at an edge, or where rows are not aligned.
__device__ const half* staged(half* tile, const Matrix& from, int row, int column) {
  __syncwarp();
  const int r = threadIdx.x % 32 / 2, c = threadIdx.x % 2 * 8;
  store8(tile + r * 16 + c, load8<false>(from, row + r, column + c));
  __syncwarp();
  return tile;
}

template <bool whole>
__global__ void __launch_bounds__(kWarps * 32) product(Matrix a, Matrix b, float* c) {
  __shared__ __align__(32) half tiles[whole ? 1 : kWarps][2][256];
  __shared__ __align__(32) float scratch[whole ? 1 : kWarps][256];
  const int warp = threadIdx.x / 32;
  const int row = blockIdx.y * 16, column = (blockIdx.x * kWarps + warp) * 16;
  if (whole && column >= b.columns) return;
  FragmentC sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < a.columns; k += 16) {
    FragmentA left;
    FragmentB right;
    if constexpr (whole) {
      wmma::load_matrix_sync(left, a.data + static_cast<std::size_t>(row) * a.columns + k, a.columns);
      wmma::load_matrix_sync(right, b.data + static_cast<std::size_t>(k) * b.columns + column, b.columns);
    } else {
      wmma::load_matrix_sync(left, staged(tiles[warp][0], a, row, k), 16);
      wmma::load_matrix_sync(right, staged(tiles[warp][1], b, k, column), 16);
    }
    wmma::mma_sync(sum, left, right, sum);
  }
  store_tile(c, a.rows, b.columns, row, column, sum, scratch[whole ? 0 : warp]);
}

}  // namespace

void gemm(const half* a, const half* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const Matrix left{a, m, k}, right{b, k, n};
  const bool whole = left.aligned() && right.aligned() && m % 16 == 0 && n % 16 == 0 && k % 16 == 0 &&
                     reinterpret_cast<std::uintptr_t>(a) % 32 == 0 &&
                     reinterpret_cast<std::uintptr_t>(b) % 32 == 0 &&
                     reinterpret_cast<std::uintptr_t>(c) % 32 == 0;
  const dim3 blocks((n + 16 * kWarps - 1) / (16 * kWarps), (m + 15) / 16);
  (whole ? product<true> : product<false>)<<<blocks, kWarps * 32, 0, stream>>>(left, right, c);
}
