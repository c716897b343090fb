// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <limits>

#include "simulator/isa/matrix/tile_elements.h"

/// Products of tiled matrices, D = A B + C. Registers are grouped as mma and wmma group them: see a_register,
/// b_register and c_tile.
namespace roofline::sim::isa {

/// Rows of 32 lanes: up to eight registers an operand. Results may lie where sources do.
struct Fragments {
  static constexpr int kMost = 8;
  u8* d[kMost];
  const u8* a[kMost];
  const u8* b[kMost];
  const u8* c[kMost];
};

/// How many tiles the operands have: A is m x k tiles, B is n x k, the accumulators are m x n.
struct Tiles {
  int m = 1, n = 1, k = 1;
  bool operator==(const Tiles&) const = default;

  constexpr int a_register(int row, int chunk) const {
    const int pair = m < 2 ? m : 2;
    return row / 2 * (pair * k) + chunk * pair + row % 2;
  }
  constexpr int b_register(int column, int chunk) const { return column * k + chunk; }
  constexpr int c_tile(int row, int column) const { return column * m + row; }
};

/// Accumulators of a tile in f32: two registers, the even columns and the odd ones.
struct SingleAccumulator {
  static constexpr int kRegisters = 2;
  static TILE_INLINE Eight load_row(const u8* const* registers, int tile, int row) {
    return load_pair(reinterpret_cast<const f32*>(registers[2 * tile]) + 4 * row,
                     reinterpret_cast<const f32*>(registers[2 * tile + 1]) + 4 * row);
  }
  static TILE_INLINE void store_row(u8* const* registers, int tile, int row, Eight sum) {
    store_pair(reinterpret_cast<f32*>(registers[2 * tile]) + 4 * row,
               reinterpret_cast<f32*>(registers[2 * tile + 1]) + 4 * row, with_canonical_nan(sum));
  }
};

/// Accumulators in f16: one register, rounded once when the instruction has summed everything up.
struct HalfAccumulator {
  static constexpr int kRegisters = 1;
  static TILE_INLINE Eight load_row(const u8* const* registers, int tile, int row) {
    return evens_then_odds(widen_halves(isa::load_row(registers[tile] + 16 * row)));
  }
  static TILE_INLINE void store_row(u8* const* registers, int tile, int row, Eight sum) {
    isa::store_row(registers[tile] + 16 * row, narrow_to_halves(interleaved(sum)));
  }
};

/// Starting from C, k ascending, one rounding to nearest f32 a step. (Hardware adds several products at a
/// time and truncates: its last bits differ from one generation to the next.)
template <class EA, class EB, class In, class Out, Tiles kTiles>
void multiply_floats(const Fragments& f) {
  constexpr int kMany = kTiles.k * EA::kPerRow, kColumns = kTiles.n * 8;
  constexpr bool kExact = EA::kExactProducts && EB::kExactProducts;
  constexpr int kRows = kTiles.n > 1 ? 4 : 8;  // at a time: as many accumulators as there are registers
  alignas(64) f32 a[kTiles.m * 8 * kMany], b[kMany * kColumns];
  alignas(64) Eight sums[kTiles.m * kTiles.n * 8];
  for (int k = 0; k < kTiles.k; ++k) {
    for (int m = 0; m < kTiles.m; ++m)
      EA::unpack_rows(f.a[kTiles.a_register(m, k)], a + m * 8 * kMany + k * EA::kPerRow, kMany);
    for (int n = 0; n < kTiles.n; ++n)
      EB::unpack_columns(f.b[kTiles.b_register(n, k)], b + k * EB::kPerRow * kColumns + n * 8, kColumns);
  }
  for (int tile = 0; tile < kTiles.m * kTiles.n; ++tile)
    for (int r = 0; r < 8; ++r) sums[tile * 8 + r] = In::load_row(f.c, tile, r);
  for (int first = 0; first < kTiles.m * 8; first += kRows) {
    Eight sum[kTiles.n][kRows];
#pragma GCC unroll 8
    for (int n = 0; n < kTiles.n; ++n)
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sum[n][r] = sums[kTiles.c_tile(first / 8, n) * 8 + first % 8 + r];
    for (int k = 0; k < kMany; ++k) {
      Eight column[kTiles.n];
#pragma GCC unroll 8
      for (int n = 0; n < kTiles.n; ++n) column[n] = load(b + k * kColumns + n * 8);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const Eight factor = broadcast(a + (first + r) * kMany + k);
#pragma GCC unroll 8
        for (int n = 0; n < kTiles.n; ++n) sum[n][r] = fused<kExact>(factor, column[n], sum[n][r]);
      }
    }
#pragma GCC unroll 8
    for (int n = 0; n < kTiles.n; ++n)
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r)
        Out::store_row(f.d, kTiles.c_tile(first / 8, n), first % 8 + r, sum[n][r]);
  }
}

/// Adds the dot products of one instruction to C: exact, then wrapped or clamped to 32 bits.
template <Tiles kTiles, class Dot>
void accumulate_integers(const Fragments& f, bool saturate, Dot dot) {
  constexpr int kTileCount = kTiles.m * kTiles.n;
  alignas(64) s32 result[2 * kTileCount][kWarpSize];
  for (int m = 0; m < kTiles.m; ++m)
    for (int n = 0; n < kTiles.n; ++n)
      for (int at = 0; at < 64; ++at) {
        const int row = at / 8, column = at % 8, tile = kTiles.c_tile(m, n);
        const int place = 2 * tile + column % 2, lane = row * 4 + column / 2;
        const s64 sum =
            s64{reinterpret_cast<const s32*>(f.c[place])[lane]} + dot(m * 8 + row, n * 8 + column);
        using Limits = std::numeric_limits<s32>;
        const s64 clamped = sum < Limits::min() ? Limits::min() : sum > Limits::max() ? Limits::max() : sum;
        result[place][lane] = static_cast<s32>(saturate ? clamped : sum);
      }
  for (int i = 0; i < 2 * kTileCount; ++i) std::memcpy(f.d[i], result[i], sizeof result[i]);
}

/// Bytes or nibbles; kPerRow of them in 16 bytes. No dot product of one instruction leaves 32 bits.
template <int kPerRow, Tiles kTiles>
void multiply_integers(const Fragments& f, UnpackIntegers unpack_a, UnpackIntegers unpack_b, bool saturate) {
  constexpr int kSize = 8 * kPerRow;
  alignas(64) s32 a[kSize], rows[kSize], columns[kTiles.n][kPerRow][8];
  alignas(64) s32 dots[kTiles.m * 8][kTiles.n * 8] = {};
  for (int k = 0; k < kTiles.k; ++k) {
    for (int n = 0; n < kTiles.n; ++n) {
      unpack_b(f.b[kTiles.b_register(n, k)], rows);
      for (int i = 0; i < kPerRow; ++i)
        for (int c = 0; c < 8; ++c) columns[n][i][c] = rows[c * kPerRow + i];
    }
    for (int m = 0; m < kTiles.m; ++m) {
      unpack_a(f.a[kTiles.a_register(m, k)], a);
      for (int r = 0; r < 8; ++r)
        for (int n = 0; n < kTiles.n; ++n) {
          s32 sum[8] = {};
          for (int i = 0; i < kPerRow; ++i)
            for (int c = 0; c < 8; ++c) sum[c] += a[r * kPerRow + i] * columns[n][i][c];
          for (int c = 0; c < 8; ++c) dots[m * 8 + r][n * 8 + c] += sum[c];
        }
    }
  }
  accumulate_integers<kTiles>(f, saturate, [&](int row, int column) { return dots[row][column]; });
}

/// Counts the bits that are set in a AND b, or in a XOR b.
template <bool kAnd, Tiles kTiles>
void multiply_bits(const Fragments& f) {
  accumulate_integers<kTiles>(f, false, [&](int row, int column) {
    s32 sum = 0;
    for (int k = 0; k < kTiles.k; ++k) {
      u64 x[2], y[2];
      std::memcpy(x, f.a[kTiles.a_register(row / 8, k)] + 16 * (row % 8), sizeof x);
      std::memcpy(y, f.b[kTiles.b_register(column / 8, k)] + 16 * (column % 8), sizeof y);
      for (int i = 0; i < 2; ++i) sum += std::popcount(kAnd ? x[i] & y[i] : x[i] ^ y[i]);
    }
    return sum;
  });
}

/// f64: a register holds four columns of k; one fused multiply-add a step, k ascending.
template <Tiles kTiles>
void multiply_doubles(const Fragments& f) {
  constexpr int kMany = kTiles.k * 4;
  alignas(64) f64 b[kMany][8], sum[kTiles.m * 8][8];
  for (int k = 0; k < kMany; ++k)
    for (int n = 0; n < 8; ++n)
      b[k][n] = reinterpret_cast<const f64*>(f.b[kTiles.b_register(0, k / 4)])[n * 4 + k % 4];
  for (int m = 0; m < kTiles.m * 8; ++m)
    for (int n = 0; n < 8; ++n)
      sum[m][n] = reinterpret_cast<const f64*>(f.c[2 * (m / 8) + n % 2])[m % 8 * 4 + n / 2];
  for (int m = 0; m < kTiles.m * 8; ++m)
    for (int k = 0; k < kMany; ++k) {
      const f64 a = reinterpret_cast<const f64*>(f.a[kTiles.a_register(m / 8, k / 4)])[m % 8 * 4 + k % 4];
      for (int n = 0; n < 8; ++n) sum[m][n] = std::fma(a, b[k][n], sum[m][n]);
    }
  for (int m = 0; m < kTiles.m * 8; ++m)
    for (int n = 0; n < 8; ++n) {
      const f64 value = sum[m][n];
      reinterpret_cast<f64*>(f.d[2 * (m / 8) + n % 2])[m % 8 * 4 + n / 2] = value != value ? kNaN64 : value;
    }
}

}  // namespace roofline::sim::isa
