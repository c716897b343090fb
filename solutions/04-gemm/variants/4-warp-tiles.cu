// expect: good
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Large tiles: 128 x 256 a block, 64 x 64 a warp. A fragment that a warp has loaded takes part in four
// products, so shared memory is read half as often as with 32 x 32, and global memory a third as often as
// with 64 x 64 blocks.

#include "edges.h"
#include "gemm.h"

namespace {

using namespace nvcuda;

constexpr int kRows = 128, kColumns = 256;        // of C, a block
constexpr int kWarpRows = 64, kWarpColumns = 64;  // of C, a warp
constexpr int kDepth = 64;                        // of K, a step

constexpr int kWarpsAcross = kColumns / kWarpColumns;
constexpr int kThreads = kRows / kWarpRows * kWarpsAcross * 32;
constexpr int kTilesDown = kWarpRows / 16, kTilesAcross = kWarpColumns / 16;
constexpr int kRowA = kDepth + 8, kRowB = kColumns + 8;  // + 8: eight rows of 16 bytes lie in different banks

struct Tiles {
  half a[kRows * kRowA];
  half b[kDepth * kRowB];
};

// Copies A(row ..., k ...) and B(k ..., column ...). What lies outside becomes 0: beyond K, too.
template <bool aligned>
__device__ void copy(Tiles& tiles, const Matrix& a, const Matrix& b, int row, int column, int k) {
  // Thread t moves pieces t, t + kThreads ... of 8 halves, counted along the rows of a tile.
  constexpr int kPiecesA = kDepth / 8, kPiecesB = kColumns / 8;
  const int row_a = threadIdx.x / kPiecesA, column_a = threadIdx.x % kPiecesA * 8;
  const int row_b = threadIdx.x / kPiecesB, column_b = threadIdx.x % kPiecesB * 8;
#pragma unroll
  for (int r = row_a; r < row_a + kRows; r += kThreads / kPiecesA)
    store8(tiles.a + r * kRowA + column_a, load8<aligned>(a, row + r, k + column_a));
#pragma unroll
  for (int r = row_b; r < row_b + kDepth; r += kThreads / kPiecesB)
    store8(tiles.b + r * kRowB + column_b, load8<aligned>(b, k + r, column + column_b));
}

// What a warp multiplies in one step of 16 along K.
struct Operands {
  FragmentA a[kTilesDown];
  FragmentB b[kTilesAcross];

  __device__ void load(const Tiles& tiles, int row, int column, int k) {
    for (int i = 0; i < kTilesDown; ++i)
      wmma::load_matrix_sync(a[i], tiles.a + (row + 16 * i) * kRowA + k, kRowA);
    for (int j = 0; j < kTilesAcross; ++j)
      wmma::load_matrix_sync(b[j], tiles.b + k * kRowB + column + 16 * j, kRowB);
  }
};

using Sums = FragmentC[kTilesDown][kTilesAcross];

__device__ void multiply(Sums& sums, const Operands& of) {
  for (int i = 0; i < kTilesDown; ++i)
    for (int j = 0; j < kTilesAcross; ++j) wmma::mma_sync(sums[i][j], of.a[i], of.b[j], sums[i][j]);
}

template <bool aligned>
__global__ void __launch_bounds__(kThreads) product(Matrix a, Matrix b, float* c) {
  extern __shared__ __align__(128) unsigned char memory[];
  Tiles& tiles = *reinterpret_cast<Tiles*>(memory);

  const int row = blockIdx.y * kRows, column = blockIdx.x * kColumns;
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / kWarpsAcross * kWarpRows, warp_column = warp % kWarpsAcross * kWarpColumns;
  Sums sums;
  for (auto& line : sums)
    for (auto& tile : line) wmma::fill_fragment(tile, 0.0f);

  for (int step = 0; step < a.columns; step += kDepth) {
    copy<aligned>(tiles, a, b, row, column, step);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
      Operands operands;
      operands.load(tiles, warp_row, warp_column, k);
      multiply(sums, operands);
    }
    __syncthreads();
  }

  float* scratch = reinterpret_cast<float*>(memory) + warp * 256;
#pragma unroll
  for (int i = 0; i < kTilesDown; ++i)
    for (int j = 0; j < kTilesAcross; ++j)
      store_tile(c, a.rows, b.columns, row + warp_row + 16 * i, column + warp_column + 16 * j, sums[i][j],
                 scratch);
}

}  // namespace

void gemm(const half* a, const half* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const Matrix left{a, m, k}, right{b, k, n};
  const auto kernel = left.aligned() && right.aligned() ? product<true> : product<false>;
  constexpr int kBytes = sizeof(Tiles);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  const dim3 blocks((n + kColumns - 1) / kColumns, (m + kRows - 1) / kRows);
  kernel<<<blocks, kThreads, kBytes, stream>>>(left, right, c);
}
