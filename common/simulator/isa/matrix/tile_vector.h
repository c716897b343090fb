// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <bit>
#include <cmath>

#include "simulator/isa/half_math.h"
#include "simulator/vectors.h"

/// Eight f32 side by side, in whatever the vector level has. Every operation gives the same bits on every
/// level.
namespace roofline::sim::isa {

#define TILE_INLINE inline __attribute__((always_inline))

/// 16 bytes of a tile, as eight 16-bit values.
using TileRow = ShortVector;

#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)

struct Eight {
  __m256 v;
};

TILE_INLINE Eight load(const f32* from) { return {_mm256_loadu_ps(from)}; }
TILE_INLINE void store(f32* to, Eight a) { _mm256_storeu_ps(to, a.v); }
TILE_INLINE Eight load_pair(const f32* low, const f32* high) {
  return {_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1)};
}
TILE_INLINE void store_pair(f32* low, f32* high, Eight a) {
  _mm_storeu_ps(low, _mm256_castps256_ps128(a.v));
  _mm_storeu_ps(high, _mm256_extractf128_ps(a.v, 1));
}
TILE_INLINE Eight broadcast(const f32* from) { return {_mm256_broadcast_ss(from)}; }
/// a * b + c rounded once; kExact promises that no product of two factors needs rounding.
template <bool kExact>
TILE_INLINE Eight fused(Eight a, Eight b, Eight c) {
  return {_mm256_fmadd_ps(a.v, b.v, c.v)};
}
TILE_INLINE Eight with_canonical_nan(Eight a) {
  const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fff'ffff));
  return {_mm256_blendv_ps(a.v, nan, _mm256_cmp_ps(a.v, a.v, _CMP_UNORD_Q))};
}
/// 0 1 2 3 4 5 6 7 becomes 0 2 4 6 1 3 5 7.
TILE_INLINE Eight evens_then_odds(Eight a) {
  return {_mm256_permutevar8x32_ps(a.v, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7))};
}
TILE_INLINE Eight interleaved(Eight a) {
  return {_mm256_permutevar8x32_ps(a.v, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7))};
}
TILE_INLINE Eight widen_halves(TileRow a) { return {_mm256_cvtph_ps(std::bit_cast<__m128i>(a))}; }
TILE_INLINE Eight widen_bfloats(TileRow a) {
  return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(std::bit_cast<__m128i>(a)), 16))};
}
/// To nearest even; NaN must be canonical.
TILE_INLINE TileRow narrow_to_halves(Eight a) {
  const __m128i bits = _mm256_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT);
  const __m128i nan = _mm_cmpgt_epi16(_mm_and_si128(bits, _mm_set1_epi16(0x7fff)), _mm_set1_epi16(0x7c00));
  return std::bit_cast<TileRow>(
      _mm_or_si128(_mm_andnot_si128(nan, bits), _mm_and_si128(nan, _mm_set1_epi16(0x7fff))));
}

#else

struct Eight {
  FloatVector low, high;
};

TILE_INLINE Eight load_pair(const f32* low, const f32* high) {
  return {load_vector<FloatVector>(low), load_vector<FloatVector>(high)};
}
TILE_INLINE void store_pair(f32* low, f32* high, Eight a) {
  store_vector(low, a.low);
  store_vector(high, a.high);
}
TILE_INLINE Eight load(const f32* from) { return load_pair(from, from + 4); }
TILE_INLINE void store(f32* to, Eight a) { store_pair(to, to + 4, a); }
TILE_INLINE Eight broadcast(const f32* from) {
  const FloatVector value = {*from, *from, *from, *from};
  return {value, value};
}
template <bool kExact>
TILE_INLINE FloatVector fused(FloatVector a, FloatVector b, FloatVector c) {
  if constexpr (kExact) return a * b + c;
  for (int i = 0; i < 4; ++i) c[i] = std::fma(a[i], b[i], c[i]);
  return c;
}
template <bool kExact>
TILE_INLINE Eight fused(Eight a, Eight b, Eight c) {
  return {fused<kExact>(a.low, b.low, c.low), fused<kExact>(a.high, b.high, c.high)};
}
TILE_INLINE FloatVector with_canonical_nan(FloatVector a) {
  const WordVector nan = std::bit_cast<WordVector>(a != a);
  return std::bit_cast<FloatVector>((std::bit_cast<WordVector>(a) & ~nan) | (nan & 0x7fff'ffffu));
}
TILE_INLINE Eight with_canonical_nan(Eight a) {
  return {with_canonical_nan(a.low), with_canonical_nan(a.high)};
}
TILE_INLINE Eight evens_then_odds(Eight a) {
  return {__builtin_shufflevector(a.low, a.high, 0, 2, 4, 6),
          __builtin_shufflevector(a.low, a.high, 1, 3, 5, 7)};
}
TILE_INLINE Eight interleaved(Eight a) {
  return {__builtin_shufflevector(a.low, a.high, 0, 4, 1, 5),
          __builtin_shufflevector(a.low, a.high, 2, 6, 3, 7)};
}
TILE_INLINE Eight widen_halves(TileRow a) {
  alignas(16) f32 values[8];
  for (int i = 0; i < 8; ++i) values[i] = widen(Half{a[i]});
  return load(values);
}
TILE_INLINE Eight widen_bfloats(TileRow a) {
  const TileRow zero{};
  return {std::bit_cast<FloatVector>(interleave_low(zero, a)),
          std::bit_cast<FloatVector>(interleave_high(zero, a))};
}
TILE_INLINE TileRow narrow_to_halves(Eight a) {
  alignas(16) f32 values[8];
  store(values, a);
  TileRow bits{};
  for (int i = 0; i < 8; ++i) bits[i] = nearest_half_bits(values[i]);
  return bits;
}

#endif

TILE_INLINE TileRow load_row(const u8* from) { return load_vector<TileRow>(from); }
TILE_INLINE void store_row(u8* to, TileRow row) { store_vector(to, row); }

}  // namespace roofline::sim::isa
