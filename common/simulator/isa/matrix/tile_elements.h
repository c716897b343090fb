// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "simulator/isa/matrix/tile_vector.h"

/// A tile is eight rows of 16 bytes: what one 32-bit register of a warp holds of a matrix operand. Lane l
/// holds bytes 4 (l mod 4) to 4 (l mod 4) + 3 of row l / 4, in every documented layout; so the 128 bytes of a
/// register, lane after lane, are the tile, row after row. Rows of A are rows of the matrix, rows of B are
/// its columns: k runs along the 16 bytes in both.
namespace roofline::sim::isa {

inline constexpr u32 kTileRows = 8, kTileRowBytes = 16, kTileBytes = kTileRows * kTileRowBytes;

/// The column that stands at each place of a row of accumulators while they are summed up: registers hold
/// even and odd columns apart.
inline constexpr int kColumnOrder[8] = {0, 2, 4, 6, 1, 3, 5, 7};

/// Element types whose values are f32. unpack_rows: to[r * stride + k]; unpack_columns: to[k * stride +
/// place] with rows of the tile in kColumnOrder.
template <class H>
struct SixteenBitElement {
  static constexpr int kPerRow = 8;
  static TILE_INLINE Eight widen_row(TileRow row) {
    if constexpr (std::is_same_v<H, Half>)
      return widen_halves(row);
    else
      return widen_bfloats(row);
  }
  static TILE_INLINE void unpack_rows(const u8* tile, f32* to, int stride) {
    for (int r = 0; r < 8; ++r) store(to + r * stride, widen_row(load_row(tile + 16 * r)));
  }
  static TILE_INLINE void unpack_columns(const u8* tile, f32* to, int stride) {
    TileRow rows[8];
    for (int p = 0; p < 8; ++p) rows[p] = load_row(tile + 16 * kColumnOrder[p]);
    transpose(rows);
    for (int k = 0; k < 8; ++k) store(to + k * stride, widen_row(rows[k]));
  }
};

/// Products of two 11-bit factors of small range fit f32.
struct HalfElement : SixteenBitElement<Half> {
  static constexpr bool kExactProducts = true;
};
/// The products of subnormal or huge factors do not.
struct BFloatElement : SixteenBitElement<BFloat> {
  static constexpr bool kExactProducts = false;
};

/// Elements decoded one by one.
template <class Decode, int kRow, bool kExact>
struct DecodedElement {
  static constexpr int kPerRow = kRow;
  static constexpr bool kExactProducts = kExact;
  static void unpack_rows(const u8* tile, f32* to, int stride) {
    for (int r = 0; r < 8; ++r)
      for (int k = 0; k < kRow; ++k) to[r * stride + k] = Decode{}(tile + 16 * r, k);
  }
  static void unpack_columns(const u8* tile, f32* to, int stride) {
    for (int p = 0; p < 8; ++p)
      for (int k = 0; k < kRow; ++k) to[k * stride + p] = Decode{}(tile + 16 * kColumnOrder[p], k);
  }
};

/// The hardware reads the upper 19 bits of a .b32 register as tf32.
struct DecodeTf32 {
  f32 operator()(const u8* row, int k) const {
    u32 bits;
    std::memcpy(&bits, row + 4 * k, sizeof bits);
    return std::bit_cast<f32>(bits & 0xffff'e000u);
  }
};
using Tf32Element = DecodedElement<DecodeTf32, 4, false>;

/// The f32 values of all 256 bytes.
template <class F>
std::array<f32, 256> byte_values(F value) {
  std::array<f32, 256> all;
  for (u32 i = 0; i < 256; ++i) all[i] = value(static_cast<u8>(i));
  return all;
}

inline f32 value_of_e4m3(u8 bits) {
  const u32 exponent = bits >> 3 & 15u, mantissa = bits & 7u;
  if ((bits & 0x7fu) == 0x7fu) return std::bit_cast<f32>(0x7fff'ffffu);
  const f32 size = exponent == 0 ? static_cast<f32>(mantissa) * 0x1p-9f
                                 : std::bit_cast<f32>((exponent + 120) << 23 | mantissa << 20);
  return (bits & 0x80u) != 0 ? -size : size;
}

struct DecodeE4M3 {
  f32 operator()(const u8* row, int k) const {
    static const std::array<f32, 256> values = byte_values(value_of_e4m3);
    return values[row[k]];
  }
};
struct DecodeE5M2 {
  f32 operator()(const u8* row, int k) const { return widen(Half{static_cast<u16>(row[k] << 8)}); }
};
using E4M3Element = DecodedElement<DecodeE4M3, 16, true>;
using E5M2Element = DecodedElement<DecodeE5M2, 16, true>;

/// Integer elements: to[row * per_row + k].
using UnpackIntegers = void (*)(const u8* tile, s32* to);

template <class B>
void unpack_bytes(const u8* tile, s32* to) {
  for (u32 i = 0; i < kTileBytes; ++i) to[i] = static_cast<B>(tile[i]);
}
template <bool kSigned>
void unpack_nibbles(const u8* tile, s32* to) {
  for (u32 i = 0; i < 2 * kTileBytes; ++i) {
    const u32 nibble = static_cast<u32>(tile[i / 2]) >> (i % 2 * 4) & 15u;
    to[i] = kSigned && nibble >= 8 ? static_cast<s32>(nibble) - 16 : static_cast<s32>(nibble);
  }
}

}  // namespace roofline::sim::isa
