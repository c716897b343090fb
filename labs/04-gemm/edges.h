// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdint>

/// What happens at the edges of a matrix, where tiles reach past it, and for pointers and rows that do not
/// allow 16-byte accesses. Given: your kernel can be written as if every size were a multiple of its tiles.

/// Operands and sums of one 16x16x16 product of Tensor Cores, spread over the 32 lanes of a warp.
using FragmentA = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major>;
using FragmentB = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::row_major>;
using FragmentC = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;

/// A row-major matrix of halves in device memory.
struct Matrix {
  const half* data;
  int rows, columns;

  /// Whether groups of eight elements, counted from the beginning of a row, lie at multiples of 16 bytes.
  __host__ __device__ bool aligned() const {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && columns % 8 == 0;
  }
};

/// Elements (row, column) to (row, column + 7), 0 outside of the matrix. `column` is a multiple of 8.
///
/// \tparam aligned  what Matrix::aligned() says: one 16-byte load instead of eight of 2 bytes
template <bool aligned>
__device__ inline uint4 load8(const Matrix& from, int row, int column) {
  union {
    uint4 all = {0, 0, 0, 0};
    half one[8];
  } piece;
  if (row >= from.rows || column >= from.columns) return piece.all;
  const half* begin = from.data + static_cast<std::size_t>(row) * from.columns + column;
  if constexpr (aligned) {
    piece.all = *reinterpret_cast<const uint4*>(begin);
  } else {
    for (int i = 0; i < 8; ++i)
      if (column + i < from.columns) piece.one[i] = begin[i];
  }
  return piece.all;
}

/// Eight elements to shared memory, at a multiple of 16 bytes.
__device__ inline void store8(half* to, uint4 piece) { *reinterpret_cast<uint4*>(to) = piece; }

/// load8 and store8 in one: to `to` in shared memory (a multiple of 16 bytes) and without waiting: what was
/// asked for before a __pipeline_commit() is there after the __pipeline_wait_prior() for it, for the thread
/// that asked.
template <bool aligned>
__device__ inline void fetch8(half* to, const Matrix& from, int row, int column) {
  if constexpr (aligned) {
    const bool inside = row < from.rows && column < from.columns;
    const half* begin = from.data + (inside ? static_cast<std::size_t>(row) * from.columns + column : 0);
    // Misaligned here? `to` must be a multiple of 16 bytes: the rows of your tile, too, 8 halves each.
    // The last operand says how many of the 16 bytes are read; the others become zeros. No branch: the
    // compiler mixes these copies with your arithmetic. (__pipeline_memcpy_async makes two of each.)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(begin), "r"(inside ? 16 : 0)
                 : "memory");
  } else {
    store8(to, load8<false>(from, row, column));
  }
}

/// Writes the 16x16 sums of a warp to element (row, column) and on of the m x n matrix c; what lies outside
/// is dropped.
///
/// \param scratch  256 floats of shared memory of this warp alone, at a multiple of 32 bytes
__device__ inline void store_tile(float* c, int m, int n, int row, int column, const FragmentC& sums,
                                  float* scratch) {
  if (row >= m || column >= n) return;
  float* corner = c + static_cast<std::size_t>(row) * n + column;
  const bool aligned = reinterpret_cast<std::uintptr_t>(c) % 32 == 0 && n % 8 == 0;
  if (aligned && row + 16 <= m && column + 16 <= n) {
    nvcuda::wmma::store_matrix_sync(corner, sums, n, nvcuda::wmma::mem_row_major);
    return;
  }
  nvcuda::wmma::store_matrix_sync(scratch, sums, 16, nvcuda::wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x % 32; i < 256; i += 32)
    if (row + i / 16 < m && column + i % 16 < n)
      corner[static_cast<std::size_t>(i / 16) * n + i % 16] = scratch[i];
  __syncwarp();
}
