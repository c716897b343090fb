// expect: good
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 128 x 256, warps of 64 x 64: each operand that is loaded serves four products. Copies are waited
// for.

#include "gemm_e4m3.h"
#include "tiles_e4m3.h"

namespace {

constexpr int kRows = 128, kColumns = 256;        // of C, a block
constexpr int kWarpRows = 64, kWarpColumns = 64;  // of C, a warp
constexpr int kDepth = 64;                        // of K, a stage

constexpr int kWarpsAcross = kColumns / kWarpColumns;
constexpr int kThreads = kRows / kWarpRows * kWarpsAcross * 32;
constexpr int kTilesDown = kWarpRows / 16, kTilesAcross = kWarpColumns / 16;
constexpr int kDistance = kDepth + 16;  // + 16: eight rows of 16 bytes are in different banks

struct Stage {
  __nv_fp8_e4m3 a[kRows * kDistance], b[kColumns * kDistance];
};

// Asks for elements x to x + kDepth of rows `row` and on; what is outside becomes 0.
template <bool aligned, int rows>
__device__ void fetch(__nv_fp8_e4m3* to, const Rows& from, int row, int x) {
  constexpr int kPieces = kDepth / 16;
  const int first = threadIdx.x / kPieces, piece = threadIdx.x % kPieces * 16;
#pragma unroll
  for (int r = first; r < first + rows; r += kThreads / kPieces)
    fetch16<aligned>(to + r * kDistance + piece, from, row + r, x + piece);
}

// What a warp multiplies in one step of 32 along K.
struct Operands {
  Left a[kTilesDown] = {};
  Right b[kTilesAcross] = {};

  __device__ void load(const Stage& stage, int row, int column, int x) {
    for (int i = 0; i < kTilesDown; ++i)
      a[i] = load_left(stage.a + (row + 16 * i) * kDistance + x, kDistance);
    for (int j = 0; j < kTilesAcross; ++j)
      b[j] = load_right(stage.b + (column + 16 * j) * kDistance + x, kDistance);
  }
};

using AllSums = Sums[kTilesDown][kTilesAcross];

__device__ void multiply_all(AllSums& sums, const Operands& of) {
  for (int i = 0; i < kTilesDown; ++i)
    for (int j = 0; j < kTilesAcross; ++j) multiply(sums[i][j], of.a[i], of.b[j]);
}

// Two neighbouring columns are stored together where the address allows it.
__device__ void store(half* c, const AllSums& sums, const float* scale_a, const float* scale_b, int row,
                      int column, int m, int n) {
  const bool pairs = n % 2 == 0 && reinterpret_cast<std::uintptr_t>(c) % 4 == 0;
#pragma unroll
  for (int i = 0; i < kTilesDown; ++i)
    for (int e = 0; e < 8; e += 2) {
      const int r = row + 16 * i + row_of(e);
      if (r >= m) continue;
      const float scale = scale_a[r];
#pragma unroll
      for (int j = 0; j < kTilesAcross; ++j) {
        const int x = column + 16 * j + column_of(e);
        half* to = c + static_cast<std::size_t>(r) * n + x;
        const float* at = sums[i][j].at + e;
        if (pairs && x < n) {
          *reinterpret_cast<half2*>(to) =
              __floats2half2_rn(at[0] * scale * scale_b[x], at[1] * scale * scale_b[x + 1]);
        } else {
          for (int k = 0; k < 2; ++k)
            if (x + k < n) to[k] = __float2half_rn(at[k] * scale * scale_b[x + k]);
        }
      }
    }
}

template <bool aligned>
__global__ void __launch_bounds__(kThreads)
    product(Rows a, Rows b, const float* scale_a, const float* scale_b, half* c) {
  __shared__ __align__(128) Stage stage;
  const int down = (a.count + kRows - 1) / kRows;
  const int row = blockIdx.x % down * kRows, column = blockIdx.x / down * kColumns;
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / kWarpsAcross * kWarpRows, warp_column = warp % kWarpsAcross * kWarpColumns;
  AllSums sums;

  Operands operands;
  for (int x = 0; x < a.k; x += kDepth) {
    __syncthreads();  // everybody has read what was there
    fetch<aligned, kRows>(stage.a, a, row, x);
    fetch<aligned, kColumns>(stage.b, b, column, x);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
#pragma unroll
    for (int inside = 0; inside < kDepth; inside += 32) {
      operands.load(stage, warp_row, warp_column, inside);
      multiply_all(sums, operands);
    }
  }
  store(c, sums, scale_a, scale_b, row + warp_row, column + warp_column, a.count, b.count);
}

}  // namespace

void gemm_e4m3(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, const float* scale_a, const float* scale_b,
               half* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const Rows left{a, m, k}, right{b, n, k};
  const auto kernel = left.aligned() && right.aligned() ? product<true> : product<false>;
  const int blocks = ((m + kRows - 1) / kRows) * ((n + kColumns - 1) / kColumns);
  kernel<<<blocks, kThreads, 0, stream>>>(left, right, scale_a, scale_b, c);
}
