// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/isa/float_math.h"
#include "simulator/isa/types.h"

/// f16 and bf16 in terms of f32, in integer and f32 operations that every vector level has: no result depends
/// on whether the host converts halves in hardware.
namespace roofline::sim::isa {

inline constexpr u16 kNaN16 = 0x7fff;  ///< for f16 and for bf16

inline f32 widen(Half a) {
  const u32 sign = (a.bits & 0x8000u) << 16, rest = (a.bits & 0x7fffu) << 13;
  // Rebiasing by a multiplication gives subnormals their f32 exponent, too.
  const u32 finite = to_bits(std::bit_cast<f32>(rest) * 0x1p112f);
  return std::bit_cast<f32>(sign | (rest >= 0x0f80'0000u ? rest | 0x7f80'0000u : finite));
}
inline f32 widen(BFloat a) { return std::bit_cast<f32>(u32{a.bits} << 16); }

/// To nearest even; NaN becomes the canonical one.
inline u16 nearest_half_bits(f32 a) {
  const u32 sign = to_bits(a) >> 16 & 0x8000u, bits = to_bits(a) & 0x7fff'ffffu;
  // Adding 0.5 moves the unit of an f16 subnormal to the last place of the f32: the addition rounds.
  const u32 subnormal = to_bits(std::bit_cast<f32>(bits) + 0.5f) - 0x3f00'0000u;
  const u32 normal = (bits + 0xc800'0fffu + (bits >> 13 & 1u)) >> 13;
  u32 result = bits < 0x3880'0000u ? subnormal : normal;
  result = bits >= 0x4780'0000u ? 0x7c00u : result;
  return bits > 0x7f80'0000u ? kNaN16 : static_cast<u16>(result | sign);
}
inline u16 nearest_bfloat_bits(f32 a) {
  const u32 bits = to_bits(a);
  return a != a ? kNaN16 : static_cast<u16>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

template <class H>
H narrow(f32 a) {
  if constexpr (std::is_same_v<H, Half>)
    return {nearest_half_bits(a)};
  else
    return {nearest_bfloat_bits(a)};
}

/// An f32 that rounds to f16 or bf16 as `a` itself does: toward zero, with the last bit set when inexact.
inline f32 to_odd(f64 a) {
  const f32 nearest = static_cast<f32>(a);
  const f64 back = nearest;
  const bool above = magnitude(back) > magnitude(a);
  const u32 truncated = to_bits(nearest) - (above ? 1u : 0u);
  return std::bit_cast<f32>(back == a || a != a ? to_bits(nearest) : truncated | 1u);
}

/// a * b + c for factors of at most 12 bits, rounded to odd: exact enough for one rounding to 8 or 11 bits.
inline f32 fused_to_odd(f32 a, f32 b, f32 c) {
  const f64 product = f64{a} * f64{b}, addend = c, sum = product + addend;
  // What the addition lost (Knuth): where it is not zero, the sum's last bit tells the later rounding.
  const f64 part = sum - product;
  const f64 lost = (product - (sum - part)) + (addend - part);
  const u64 bits = to_bits(sum);
  const bool inexact = lost != 0 && (bits & 1u) == 0;
  const bool away = (lost > 0) == (sum > 0);
  const bool finite = magnitude(sum) < std::bit_cast<f64>(u64{0x7ff0'0000'0000'0000u});
  return to_odd(std::bit_cast<f64>(inexact && finite ? (away ? bits + 1 : bits - 1) : bits));
}

}  // namespace roofline::sim::isa
