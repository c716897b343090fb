// expect: wrong-structure e4m3
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Elements become halves in registers, and Tensor Cores multiply those: the same sums at half the rate, and
// conversions on top.

#include "gemm_e4m3.h"
#include "tiles_e4m3.h"

namespace {

// Two of the four elements of a word, the lower or the upper ones, as halves: exact, as a half holds them
// all.
__device__ unsigned halves_of(unsigned word, int which) {
  const auto two = static_cast<__nv_fp8x2_storage_t>(word >> 16 * which);
  const __half2_raw wide = __nv_cvt_fp8x2_to_halfraw2(two, __NV_E4M3);
  return wide.x | unsigned(wide.y) << 16;
}

// Which of the 32 elements of K a lane has does not matter, as long as both operands agree: elements 4 t and
// 4 t
// + 1 of each sixteen take the place of 2 t and 2 t + 1, the two after them that of 2 t + 8 and 2 t + 9.
struct Halves {
  unsigned words[8];

  __device__ void widen(const std::uint32_t (&from)[4]) {
#pragma unroll
    for (int w = 0; w < 8; ++w) words[w] = halves_of(from[w / 2], w % 2);
  }
};

__device__ void multiply_as_halves(Sums& sums, const Halves& left, const Halves& right) {
#pragma unroll
  for (int part = 0; part < 2; ++part)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float* c = sums.at + 4 * h;
      const unsigned *a = left.words + 4 * part, *b = right.words + 4 * h + 2 * part;
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
          : "r"(a[0]), "r"(a[2]), "r"(a[1]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
}

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
  Halves a[kTilesDown];
  Halves b[kTilesAcross];

  __device__ void load(const Stage& stage, int row, int column, int x) {
    for (int i = 0; i < kTilesDown; ++i)
      a[i].widen(load_left(stage.a + (row + 16 * i) * kDistance + x, kDistance).words);
    for (int j = 0; j < kTilesAcross; ++j)
      b[j].widen(load_right(stage.b + (column + 16 * j) * kDistance + x, kDistance).words);
  }
};

using AllSums = Sums[kTilesDown][kTilesAcross];

__device__ void multiply_all(AllSums& sums, const Operands& of) {
#pragma unroll
  for (int i = 0; i < kTilesDown; ++i)
#pragma unroll
    for (int j = 0; j < kTilesAcross; ++j) multiply_as_halves(sums[i][j], of.a[i], of.b[j]);
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
