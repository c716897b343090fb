// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 04: C = A * B with Tensor Cores. Read README.md first, then edges.h, which is yours to call; ./lab hint
// 04 helps when you are stuck. Write your predictions into prediction.toml before you run  ./lab grade 04

#include "edges.h"
#include "gemm.h"

namespace {

using namespace nvcuda;

// A block of threads makes kRows x kColumns of C, kDepth of K at a time; each of its warps a part of that.
// These sizes pass. Larger ones are faster, until registers or shared memory run out.
constexpr int kRows = 64, kColumns = 64;
constexpr int kWarpRows = 32, kWarpColumns = 32;
constexpr int kDepth = 32;

constexpr int kWarpsAcross = kColumns / kWarpColumns;
constexpr int kThreads = kRows / kWarpRows * kWarpsAcross * 32;
constexpr int kTilesDown = kWarpRows / 16, kTilesAcross = kWarpColumns / 16;
constexpr int kRowA = kDepth + 8, kRowB = kColumns + 8;  // halves from one row of a tile to the next

// The part of A and B that a block multiplies in one step. kDepth rows of B, kRows rows of A.
struct Tiles {
  half a[kRows * kRowA];
  half b[kDepth * kRowB];
};

// TODO 1 (about 10 lines): the threads of the block together copy A(row ..., k ...) and B(k ..., column ...)
// to shared memory, 8 halves at a time: store8(..., load8<aligned>(...)), later fetch8<aligned>(...).
template <bool aligned>
__device__ void copy(Tiles& tiles, const Matrix& a, const Matrix& b, int row, int column, int k) {}

using Sums = FragmentC[kTilesDown][kTilesAcross];

// TODO 2 (about 10 lines): for each 16 of kDepth, load the warp's kTilesDown fragments of A and kTilesAcross
// of B (wmma::load_matrix_sync) and multiply each with each (wmma::mma_sync). The warp's part of C begins at
// row `row`, column `column` of the block's.
__device__ void multiply(Sums& sums, const Tiles& tiles, int row, int column) {}

template <bool aligned>
__global__ void __launch_bounds__(kThreads) product(Matrix a, Matrix b, float* c) {
  extern __shared__ __align__(128) unsigned char memory[];
  Tiles& tiles = *reinterpret_cast<Tiles*>(memory);
  // TODO 3 (about 14 lines): where do the block and the warp begin? Start with sums of zero
  // (wmma::fill_fragment), walk along K, and think of what must be complete before the next thread reads or
  // overwrites it.

  // TODO 4 (about 6 lines): store each sum with store_tile. Its scratch memory may lie in `memory`, if
  // everybody is done with that.
}

}  // namespace

void gemm(const half* a, const half* b, float* c, int m, int n, int k, cudaStream_t stream) {
  // TODO 5 (about 8 lines): launch product<true> or product<false> (Matrix::aligned says which) with as many
  // blocks as C has parts, sizeof(Tiles) bytes of shared memory, on `stream`. C may be empty.
}
