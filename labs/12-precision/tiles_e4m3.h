// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp8.h>
#include <cuda_pipeline.h>

#include <cstdint>

/// 8-bit operands in the registers of a warp, the way to them from memory, and what happens at the edges.
/// Given. All 32 lanes call a function together.

/// Rows of k elements in device memory: A, or the columns of B.
struct Rows {
  const __nv_fp8_e4m3* data;
  int count, k;

  /// Whether groups of 16 elements, counted from the beginning of a row, are at multiples of 16 bytes.
  __host__ __device__ bool aligned() const {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && k % 16 == 0;
  }
};

/// 16 elements, row `row` from element x on (a multiple of 16), to shared memory, at a multiple of 16 bytes;
/// zeros for what is outside. It does not wait: what was asked for before a __pipeline_commit() is there
/// after the __pipeline_wait_prior() for it, for the thread that asked.
///
/// \tparam aligned  what Rows::aligned() says: one copy instead of 16
template <bool aligned>
__device__ inline void fetch16(__nv_fp8_e4m3* to, const Rows& from, int row, int x) {
  const bool inside = row < from.count && x < from.k;
  const __nv_fp8_e4m3* begin = from.data + (inside ? static_cast<std::size_t>(row) * from.k + x : 0);
  if constexpr (aligned) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(begin), "r"(inside ? 16 : 0)
                 : "memory");
  } else {
    union {
      uint4 all = {0, 0, 0, 0};
      std::uint8_t one[16];
    } piece;
    for (int i = 0; i < 16; ++i)
      if (inside && x + i < from.k) piece.one[i] = begin[i].__x;
    *reinterpret_cast<uint4*>(to) = piece.all;
  }
}

/// 16 rows of A by 32 elements of k; the left operand of a product.
struct Left {
  std::uint32_t words[4];
};
/// 16 columns of B by 32 elements of k; the right operand.
struct Right {
  std::uint32_t words[4];
};
/// Sums of 16 rows by 16 columns: element i of a lane is in row row_of(i), column column_of(i).
struct Sums {
  float at[8] = {};
};
__device__ inline int row_of(int i) { return threadIdx.x % 32 / 4 + 8 * (i / 2 % 2); }
__device__ inline int column_of(int i) { return 8 * (i / 4) + 2 * (threadIdx.x % 4) + i % 2; }

namespace detail {

/// ldmatrix moves rows of 16 bytes, whatever they hold: 8 halves, or 16 elements of 8 bits. Each lane names
/// one such row.
__device__ inline void load(std::uint32_t (&to)[4], const __nv_fp8_e4m3* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
}

}  // namespace detail

/// From 16 rows of shared memory that are `distance` bytes apart, 32 bytes of each. Rows begin at multiples
/// of 16 bytes.
__device__ inline Left load_left(const __nv_fp8_e4m3* rows, int distance) {
  const int lane = threadIdx.x % 32;
  Left to;
  detail::load(to.words, rows + lane % 16 * distance + lane / 16 * 16);
  return to;
}
__device__ inline Right load_right(const __nv_fp8_e4m3* rows, int distance) {
  const int lane = threadIdx.x % 32;
  Right to;
  detail::load(to.words, rows + (lane % 8 + lane / 16 * 8) * distance + lane / 8 % 2 * 16);
  return to;
}

/// sums += left * right, 16384 FLOPs: two instructions, each for eight of the columns.
__device__ inline void multiply(Sums& sums, const Left& left, const Right& right) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float* c = sums.at + 4 * h;
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(left.words[0]), "r"(left.words[1]), "r"(left.words[2]), "r"(left.words[3]),
          "r"(right.words[2 * h]), "r"(right.words[2 * h + 1]));
  }
}
