// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 12, part B: a product of 8-bit floats. Read README.md first, then tiles_e4m3.h, which is yours to call;
// ./lab hint 12b helps when you are stuck. Check with  ./lab grade 12b --device sim:l40s

#include "gemm_e4m3.h"
#include "tiles_e4m3.h"

namespace {

// A block makes kRows x kColumns of C, kDepth of K at a time; each of its warps a part of that. These sizes
// pass. Larger ones are faster, until registers or shared memory run out.
constexpr int kRows = 64, kColumns = 64;
constexpr int kWarpRows = 32, kWarpColumns = 32;
constexpr int kDepth = 64;

constexpr int kWarpsAcross = kColumns / kWarpColumns;
constexpr int kThreads = kRows / kWarpRows * kWarpsAcross * 32;
constexpr int kTilesDown = kWarpRows / 16, kTilesAcross = kWarpColumns / 16;
constexpr int kDistance = kDepth + 16;  // bytes from one row of a tile to the next

// The part of A and B that a block multiplies in one step: kDepth elements of each row and each column.
struct Stage {
  __nv_fp8_e4m3 a[kRows * kDistance], b[kColumns * kDistance];
};

// TODO 1 (about 6 lines): the threads of the block together ask for elements x to x + kDepth of `rows` rows,
// from row `row` on, 16 at a time: fetch16<aligned>(...). Why is one function enough for A and B?
template <bool aligned, int rows>
__device__ void fetch(__nv_fp8_e4m3* to, const Rows& from, int row, int x) {}

using AllSums = Sums[kTilesDown][kTilesAcross];

// TODO 2 (about 10 lines): for each 32 of kDepth, load the warp's kTilesDown operands of A and kTilesAcross
// of B and multiply each with each. The warp's part of C begins at row `row`, column `column` of the block's.
__device__ void multiply_all(AllSums& sums, const Stage& stage, int row, int column) {}

// TODO 3 (about 10 lines; with pairs 18): each sum times the scale of its row and the scale of its column,
// and then rounded to a half. Row and column of a sum: row_of(i), column_of(i). What is outside of C is
// dropped.
__device__ void store(half* c, const AllSums& sums, const float* scale_a, const float* scale_b, int row,
                      int column, int m, int n) {}

template <bool aligned>
__global__ void __launch_bounds__(kThreads)
    product(Rows a, Rows b, const float* scale_a, const float* scale_b, half* c) {
  // TODO 4 (about 14 lines): where do the block and the warp begin? Walk along K, and think of what must be
  // complete before another thread reads or overwrites it; then store.
}

}  // namespace

void gemm_e4m3(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, const float* scale_a, const float* scale_b,
               half* c, int m, int n, int k, cudaStream_t stream) {
  // TODO 5 (about 6 lines): one launch, of product<true> or product<false> (Rows::aligned says which), on
  // `stream`. C may be empty.
}
