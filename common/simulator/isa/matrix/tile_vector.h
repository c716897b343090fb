// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <immintrin.h>

#include <cmath>
#include <cstring>

#include "simulator/isa/half_math.h"

/// Eight f32 side by side, in whatever the vector level has. Every operation gives the same bits on every
/// level.
namespace roofline::sim::isa {

#define TILE_INLINE inline __attribute__((always_inline))

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
TILE_INLINE Eight widen_halves(__m128i a) { return {_mm256_cvtph_ps(a)}; }
TILE_INLINE Eight widen_bfloats(__m128i a) {
  return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(a), 16))};
}
/// To nearest even; NaN must be canonical.
TILE_INLINE __m128i narrow_to_halves(Eight a) {
  const __m128i bits = _mm256_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT);
  const __m128i nan = _mm_cmpgt_epi16(_mm_and_si128(bits, _mm_set1_epi16(0x7fff)), _mm_set1_epi16(0x7c00));
  return _mm_or_si128(_mm_andnot_si128(nan, bits), _mm_and_si128(nan, _mm_set1_epi16(0x7fff)));
}

#else

struct Eight {
  __m128 low, high;
};

TILE_INLINE Eight load(const f32* from) { return {_mm_loadu_ps(from), _mm_loadu_ps(from + 4)}; }
TILE_INLINE void store(f32* to, Eight a) {
  _mm_storeu_ps(to, a.low);
  _mm_storeu_ps(to + 4, a.high);
}
TILE_INLINE Eight load_pair(const f32* low, const f32* high) {
  return {_mm_loadu_ps(low), _mm_loadu_ps(high)};
}
TILE_INLINE void store_pair(f32* low, f32* high, Eight a) {
  _mm_storeu_ps(low, a.low);
  _mm_storeu_ps(high, a.high);
}
TILE_INLINE Eight broadcast(const f32* from) {
  const __m128 value = _mm_set1_ps(*from);
  return {value, value};
}
template <bool kExact>
TILE_INLINE Eight fused(Eight a, Eight b, Eight c) {
  if constexpr (kExact) {
    return {_mm_add_ps(_mm_mul_ps(a.low, b.low), c.low), _mm_add_ps(_mm_mul_ps(a.high, b.high), c.high)};
  } else {
    alignas(16) f32 x[8], y[8], z[8];
    store(x, a), store(y, b), store(z, c);
    for (int i = 0; i < 8; ++i) z[i] = std::fma(x[i], y[i], z[i]);
    return load(z);
  }
}
TILE_INLINE Eight with_canonical_nan(Eight a) {
  const __m128 nan = _mm_castsi128_ps(_mm_set1_epi32(0x7fff'ffff));
  const __m128 low = _mm_cmpunord_ps(a.low, a.low), high = _mm_cmpunord_ps(a.high, a.high);
  return {_mm_or_ps(_mm_andnot_ps(low, a.low), _mm_and_ps(low, nan)),
          _mm_or_ps(_mm_andnot_ps(high, a.high), _mm_and_ps(high, nan))};
}
TILE_INLINE Eight evens_then_odds(Eight a) {
  return {_mm_shuffle_ps(a.low, a.high, 0x88), _mm_shuffle_ps(a.low, a.high, 0xdd)};
}
TILE_INLINE Eight interleaved(Eight a) {
  return {_mm_unpacklo_ps(a.low, a.high), _mm_unpackhi_ps(a.low, a.high)};
}
TILE_INLINE Eight widen_halves(__m128i a) {
  alignas(16) u16 bits[8];
  alignas(16) f32 values[8];
  _mm_store_si128(reinterpret_cast<__m128i*>(bits), a);
  for (int i = 0; i < 8; ++i) values[i] = widen(Half{bits[i]});
  return load(values);
}
TILE_INLINE Eight widen_bfloats(__m128i a) {
  const __m128i zero = _mm_setzero_si128();
  return {_mm_castsi128_ps(_mm_unpacklo_epi16(zero, a)), _mm_castsi128_ps(_mm_unpackhi_epi16(zero, a))};
}
TILE_INLINE __m128i narrow_to_halves(Eight a) {
  alignas(16) f32 values[8];
  alignas(16) u16 bits[8];
  store(values, a);
  for (int i = 0; i < 8; ++i) bits[i] = nearest_half_bits(values[i]);
  return _mm_load_si128(reinterpret_cast<const __m128i*>(bits));
}

#endif

TILE_INLINE __m128i load_row(const u8* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
TILE_INLINE void store_row(u8* to, __m128i row) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), row); }

/// Rows of eight 16-bit values become columns.
TILE_INLINE void transpose_16(__m128i (&r)[8]) {
  __m128i a[8], b[8];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = _mm_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
    a[2 * i + 1] = _mm_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
  }
  for (int h = 0; h < 8; h += 4) {
    b[h] = _mm_unpacklo_epi32(a[h], a[h + 2]);
    b[h + 1] = _mm_unpackhi_epi32(a[h], a[h + 2]);
    b[h + 2] = _mm_unpacklo_epi32(a[h + 1], a[h + 3]);
    b[h + 3] = _mm_unpackhi_epi32(a[h + 1], a[h + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    r[2 * i] = _mm_unpacklo_epi64(b[i], b[i + 4]);
    r[2 * i + 1] = _mm_unpackhi_epi64(b[i], b[i + 4]);
  }
}

}  // namespace roofline::sim::isa
