// expect: wrong-answer
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of B's tile are as far apart as rows of A's tile: not so.

#include "edges.h"
#include "gemm.h"

namespace {

using namespace nvcuda;

constexpr int kRows = 128, kColumns = 256;        // of C, a block
constexpr int kWarpRows = 64, kWarpColumns = 64;  // of C, a warp
constexpr int kDepth = 64;                        // of K, a stage
constexpr int kStages = 3;
constexpr int kGroup = 4;  // rows of blocks that run side by side

constexpr int kWarpsAcross = kColumns / kWarpColumns;
constexpr int kThreads = kRows / kWarpRows * kWarpsAcross * 32;
constexpr int kTilesDown = kWarpRows / 16, kTilesAcross = kWarpColumns / 16;
constexpr int kRowA = kDepth + 8, kRowB = kColumns + 8;  // + 8: eight rows of 16 bytes lie in different banks

struct Stage {
  half a[kRows * kRowA];
  half b[kDepth * kRowB];
};

// Asks for A(row ..., k ...) and B(k ..., column ...). What lies outside becomes 0: beyond K, too.
template <bool aligned>
__device__ void fetch(Stage& stage, const Matrix& a, const Matrix& b, int row, int column, int k) {
  // Thread t moves pieces t, t + kThreads ... of 8 halves, counted along the rows of a tile.
  constexpr int kPiecesA = kDepth / 8, kPiecesB = kColumns / 8;
  const int row_a = threadIdx.x / kPiecesA, column_a = threadIdx.x % kPiecesA * 8;
  const int row_b = threadIdx.x / kPiecesB, column_b = threadIdx.x % kPiecesB * 8;
#pragma unroll
  for (int r = row_a; r < row_a + kRows; r += kThreads / kPiecesA)
    fetch8<aligned>(stage.a + r * kRowA + column_a, a, row + r, k + column_a);
#pragma unroll
  for (int r = row_b; r < row_b + kDepth; r += kThreads / kPiecesB)
    fetch8<aligned>(stage.b + r * kRowB + column_b, b, k + r, column + column_b);
}

// What a warp multiplies in one step of 16 along K.
struct Operands {
  FragmentA a[kTilesDown];
  FragmentB b[kTilesAcross];

  __device__ void load(const Stage& stage, int row, int column, int k) {
    for (int i = 0; i < kTilesDown; ++i)
      wmma::load_matrix_sync(a[i], stage.a + (row + 16 * i) * kRowA + k, kRowA);
    for (int j = 0; j < kTilesAcross; ++j)
      wmma::load_matrix_sync(b[j], stage.b + k * kRowB + column + 16 * j, kRowA);
  }
  __device__ void clear() {
    for (auto& tile : a) wmma::fill_fragment(tile, __float2half(0.0f));
    for (auto& tile : b) wmma::fill_fragment(tile, __float2half(0.0f));
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
  Stage* stages = reinterpret_cast<Stage*>(memory);

  // Blocks are numbered down kGroup rows before they step to the next column: those that run at the same time
  // read few rows of A and few columns of B, which stay in L2.
  const int down = (a.rows + kRows - 1) / kRows, across = gridDim.x / down;
  const int first = blockIdx.x / (kGroup * across) * kGroup, group = min(kGroup, down - first);
  const int in_group = blockIdx.x - first * across;
  const int row = (first + in_group % group) * kRows, column = in_group / group * kColumns;

  const int warp = threadIdx.x / 32;
  const int warp_row = warp / kWarpsAcross * kWarpRows, warp_column = warp % kWarpsAcross * kWarpColumns;
  Sums sums;
  for (auto& line : sums)
    for (auto& tile : line) wmma::fill_fragment(tile, 0.0f);

  for (int s = 0; s < kStages - 1; ++s) {
    fetch<aligned>(stages[s], a, b, row, column, s * kDepth);
    __pipeline_commit();
  }
  // Fragments of two steps: one is multiplied while the other arrives. The step before the first is zero.
  Operands operands[2];
  operands[1].clear();
  const int steps = (a.columns + kDepth - 1) / kDepth;
  for (int s = 0; s < steps; ++s) {
    __pipeline_wait_prior(kStages - 2);  // this thread's part of stage s is there
    __syncthreads();                     // everybody's is, and everybody has read stage s - 1
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
      operands[k / 16 % 2].load(stages[s % kStages], warp_row, warp_column, k);
      multiply(sums, operands[(k / 16 + 1) % 2]);
      if (k > 0) continue;
      const int next = s + kStages - 1;  // Tensor Cores are busy: time to work out addresses
      fetch<aligned>(stages[next % kStages], a, b, row, column, next * kDepth);
      __pipeline_commit();
    }
  }
  multiply(sums, operands[1]);

  __pipeline_wait_prior(0);
  __syncthreads();  // the stages' memory is free now
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
  constexpr int kBytes = kStages * sizeof(Stage);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  const int blocks = ((m + kRows - 1) / kRows) * ((n + kColumns - 1) / kColumns);
  kernel<<<blocks, kThreads, kBytes, stream>>>(left, right, c);
}
