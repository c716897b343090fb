// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/isa/float_math.h"

/// The functions that hardware approximates, within the manual's error bounds. They use only additions,
/// multiplications, divisions and roots that every vector level rounds alike, so that results do not depend
/// on the level; no library function, no branch.
namespace roofline::sim::isa {

/// 2^n for -126 <= n <= 127.
inline f32 power_of_two(s32 n) { return std::bit_cast<f32>(static_cast<u32>(n + 127) << 23); }

/// 2^a. Relative error below 2^-22.5.
inline f32 approximate_ex2(f32 a) {
  const f32 number = choose(a == a, a, 0.0f);
  const f32 inside = choose(number < -160.0f, -160.0f, choose(number > 160.0f, 160.0f, number));
  const f32 whole = std::rint(inside), t = inside - whole;
  // The Taylor series of 2^t on [-1/2, 1/2]: the first term left out is below 2^-26.
  f32 p = 1.5252734e-5f;
  p = p * t + 1.5403530e-4f;
  p = p * t + 1.3333558e-3f;
  p = p * t + 9.6181291e-3f;
  p = p * t + 5.5504109e-2f;
  p = p * t + 2.4022651e-1f;
  p = p * t + 6.9314718e-1f;
  p = p * t + 1.0f;
  // In two steps: the exponent range of one factor is not enough for subnormal results.
  const s32 n = static_cast<s32>(whole), half = n >> 1;
  const f32 result = p * power_of_two(half) * power_of_two(n - half);
  return choose(a == a, result, a);
}

/// log2(a). Absolute error below 2^-22 between 1/2 and 2, relative below 2^-22 elsewhere.
inline f32 approximate_lg2(f32 a) {
  const bool tiny = a < 0x1p-126f;
  const u32 bits = to_bits(tiny ? a * 0x1p24f : a);
  // Significand in [sqrt(1/2), sqrt(2)), so that logarithms near zero come without cancellation.
  const u32 shifted = bits - 0x3f35'04f3u;
  const s32 exponent = static_cast<s32>(shifted) >> 23;
  const f32 m = std::bit_cast<f32>(bits - (static_cast<u32>(exponent) << 23));
  // log2(m) = 2 / ln 2 * artanh(s), an odd series in s, |s| < 0.172.
  const f32 s = (m - 1.0f) / (m + 1.0f), q = s * s;
  f32 p = 3.2059889e-1f;
  p = p * q + 4.1219859e-1f;
  p = p * q + 5.7707802e-1f;
  p = p * q + 9.6179670e-1f;
  p = p * q + 2.8853901f;
  const f32 result = static_cast<f32>(exponent - (tiny ? 24 : 0)) + s * p;
  const f32 infinity = std::bit_cast<f32>(0x7f80'0000u);
  const f32 special = a == 0.0f ? -infinity : a == infinity ? a : kNaN32;
  return a > 0.0f && a < infinity ? result : special;
}

/// Sine (kQuarter = 0) or cosine (1) of a. Absolute error below 2^-20.5 over [-pi, pi], and well beyond.
template <int kQuarter>
inline f32 approximate_sine(f32 a) {
  const f64 x = a;
  // Quarter turns to the nearest; in double the rest keeps 2^-23 up to a = 2^29. What lies beyond is no
  // longer an angle.
  const f64 turns = magnitude(a) < 0x1p29f ? x * 0.63661977236758134308 : 0.0;
  const f64 whole = std::rint(turns), rest = (turns - whole) * 1.57079632679489661923;
  const s32 quadrant = static_cast<s32>(whole) + kQuarter;
  const f32 r = static_cast<f32>(rest), q = r * r;
  f32 sine = -1.9515296e-4f;
  sine = sine * q + 8.3321609e-3f;
  sine = sine * q - 1.6666655e-1f;
  sine = sine * q * r + r;
  f32 cosine = 2.4433157e-5f;
  cosine = cosine * q - 1.3887316e-3f;
  cosine = cosine * q + 4.1666646e-2f;
  cosine = cosine * q - 0.5f;
  cosine = cosine * q + 1.0f;
  const f32 value = kQuarter == 0 && a == 0.0f ? a : (quadrant & 1) == 0 ? sine : cosine;
  const u32 sign = (static_cast<u32>(quadrant) & 2u) << 30;
  const bool finite = magnitude(a) < std::bit_cast<f32>(0x7f80'0000u);
  return finite ? std::bit_cast<f32>(to_bits(value) ^ sign) : kNaN32;
}

/// tanh(a). Relative error below 2^-11.
inline f32 approximate_tanh(f32 a) {
  const f32 size = magnitude(a), capped = size > 16.0f ? 16.0f : size;
  const f32 power = approximate_ex2(capped * 2.8853901f);
  const f32 far = 1.0f - 2.0f / (power + 1.0f);
  const f32 near = capped - capped * capped * capped * 0.33333333f;
  const f32 value = choose(size < 0.04f, near, far);
  return choose(a == a, std::bit_cast<f32>(to_bits(value) | sign_bit(a)), kNaN32);
}

/// 1 / sqrt(a). Two roundings of half a unit each: relative error below 2^-23.
inline f32 approximate_rsqrt(f32 a) { return 1.0f / std::sqrt(a); }

/// a / b with the manual's gap: for |b| above 2^126 the reciprocal is flushed.
inline f32 approximate_quotient(f32 a, f32 b) {
  const bool beyond = magnitude(b) > 0x1p126f && magnitude(b) < std::bit_cast<f32>(0x7f80'0000u);
  return beyond ? a * std::bit_cast<f32>(sign_bit(b)) : a / b;
}

/// rcp.approx.ftz.f64 and its root: the upper word is approximated to 20 bits, the lower one is zero; the
/// unit is that of f32, whose NaN becomes the upper word (an H200 gives it).
inline f64 wide_approximation(f64 a) {
  constexpr u64 kNotANumber = 0x7fff'ffff'0000'0000u;
  return std::bit_cast<f64>(a != a ? kNotANumber : to_bits(a) & 0xffff'ffff'0000'0000u);
}

}  // namespace roofline::sim::isa
