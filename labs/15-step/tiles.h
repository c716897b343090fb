// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cstdint>

/// Tiles of 16 x 16 in the registers of a warp, and the way to them from memory: lab 11's, with transposed
/// left operands. Given, for when you need it. Unlike the fragments of lab 04 these say where each element
/// is: all 32 lanes call a function together, and lane l then holds, of every tile, rows l / 4 and l / 4 + 8,
/// four columns each.

/// The left operand of a product: word w holds two neighbouring columns,
///
///     w = 0: row l / 4,     columns 2 (l % 4) and the next        w = 2: the same row, 8 columns on
///     w = 1: row l / 4 + 8, the same columns                      w = 3: both
struct Left {
  std::uint32_t words[4];
};

/// The right operand of a product. Which lane holds what of it never matters here.
struct Right {
  std::uint32_t words[4];
};

/// Sums: element i of lane l is in row row_of(i), column column_of(i) of the tile.
struct Sums {
  float at[8] = {};
};
/// 0 or 1: the upper or the lower of the lane's two rows.
__device__ constexpr int which_row(int i) { return i / 2 % 2; }
__device__ inline int row_of(int i) { return threadIdx.x % 32 / 4 + 8 * which_row(i); }
__device__ inline int column_of(int i) { return 8 * (i / 4) + 2 * (threadIdx.x % 4) + i % 2; }

namespace detail {

/// The address in shared memory of the eight halves from (row, column) on: each lane names one such row.
__device__ inline unsigned row_address(const half* tile, int row, int column, int distance) {
  return static_cast<unsigned>(__cvta_generic_to_shared(tile + row * distance + column));
}

}  // namespace detail

/// The tile at `tile` in shared memory as a left operand. `distance`: halves from one row to the next. Each
/// row has to begin at a multiple of 16 bytes.
__device__ inline Left load_left(const half* tile, int distance) {
  const int lane = threadIdx.x % 32;
  Left to;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to.words[0]), "=r"(to.words[1]), "=r"(to.words[2]), "=r"(to.words[3])
               : "r"(detail::row_address(tile, lane % 16, lane / 16 * 8, distance))
               : "memory");
  return to;
}

/// The transposed tile as a left operand: row k of the tile is column k of the operand.
__device__ inline Left load_left_transposed(const half* tile, int distance) {
  const int lane = threadIdx.x % 32;
  Left to;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to.words[0]), "=r"(to.words[1]), "=r"(to.words[2]), "=r"(to.words[3])
               : "r"(detail::row_address(tile, lane % 8 + lane / 16 * 8, lane / 8 % 2 * 8, distance))
               : "memory");
  return to;
}

/// The tile as a right operand: multiply(sums, left, load_right(b, ...)) adds left * b.
__device__ inline Right load_right(const half* tile, int distance) {
  const int lane = threadIdx.x % 32;
  Right to;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to.words[0]), "=r"(to.words[1]), "=r"(to.words[2]), "=r"(to.words[3])
               : "r"(detail::row_address(tile, lane % 16, lane / 16 * 8, distance))
               : "memory");
  return to;
}

/// The transposed tile as a right operand: multiply(sums, left, load_transposed(b, ...)) adds left * b^T,
/// each row of left times each row of b.
__device__ inline Right load_transposed(const half* tile, int distance) {
  const int lane = threadIdx.x % 32;
  Right to;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to.words[0]), "=r"(to.words[1]), "=r"(to.words[2]), "=r"(to.words[3])
               : "r"(detail::row_address(tile, lane % 8 + lane / 16 * 8, lane / 8 % 2 * 8, distance))
               : "memory");
  return to;
}

/// sums += left * right, 8192 FLOPs: two instructions, each for eight of the columns.
__device__ inline void multiply(Sums& sums, const Left& left, const Right& right) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float* c = sums.at + 4 * h;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(left.words[0]), "r"(left.words[1]), "r"(left.words[2]), "r"(left.words[3]),
          "r"(right.words[2 * h]), "r"(right.words[2 * h + 1]));
  }
}

/// Two floats rounded to halves: `low` in the lower 16 bits, the column further left.
__device__ inline std::uint32_t pack(float low, float high) {
  const half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

/// 2^x to 22 bits, one instruction of the special function unit; 0 for x = -inf. (exp2f takes four more for
/// results that are no normal floats.)
__device__ inline float power_of_two(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
}

/// Eight halves, 16 bytes, from global to shared memory without waiting. What was asked for before a
/// __pipeline_commit() is there after the __pipeline_wait_prior() for it, for the thread that asked.
__device__ inline void fetch8(half* to, const half* from) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(from)
      : "memory");
}
