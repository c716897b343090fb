// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cmath>
#include <type_traits>

#include "simulator/types.h"

/// Floating-point rules that the PTX manual states once for all instructions.
namespace roofline::sim::isa {

/// What an f32 or f64 instruction gives for NaN: payloads of f32 are not preserved.
inline constexpr f32 kNaN32 = std::bit_cast<f32>(0x7fff'ffffu);
inline constexpr f64 kNaN64 = std::bit_cast<f64>(u64{0xfff8'0000'0000'0000u});

inline auto to_bits(f32 a) { return std::bit_cast<u32>(a); }
inline auto to_bits(f64 a) { return std::bit_cast<u64>(a); }

inline f32 canonical(f32 a) { return a != a ? kNaN32 : a; }
inline f64 canonical(f64 a) { return a != a ? kNaN64 : a; }

template <class T>
inline T magnitude(T a) {
  using U = decltype(to_bits(a));
  return std::bit_cast<T>(to_bits(a) & (~U{0} >> 1));
}

template <class T>
inline auto sign_bit(T a) {
  using U = decltype(to_bits(a));
  return to_bits(a) & ~(~U{0} >> 1);
}

/// condition ? a : b with both computed: a choice the vectoriser does not turn into a jump around one of
/// them.
inline f32 choose(bool condition, f32 a, f32 b) {
  const u32 mask = condition ? ~0u : 0u;
  return std::bit_cast<f32>((to_bits(a) & mask) | (to_bits(b) & ~mask));
}

/// .ftz: a subnormal becomes zero of the same sign.
inline f32 flush(f32 a) {
  return std::bit_cast<f32>((to_bits(a) & 0x7f80'0000u) == 0 ? to_bits(a) & 0x8000'0000u : to_bits(a));
}

/// .sat: to [+0, 1]; NaN becomes +0.
template <class T>
inline T saturate(T a) {
  return a > T{0} ? (a < T{1} ? a : T{1}) : T{0};
}

/// min and max: -0 is below +0; a NaN gives way to a number, unless .NaN asks that it wins.
template <bool kPropagate, class T>
inline T float_min(T a, T b) {
  const T smaller = a < b || (a == b && sign_bit(a) != 0) ? a : b;
  const T number = a != a ? b : b != b ? a : smaller;
  return kPropagate && (a != a || b != b) ? canonical(a + b) : canonical(number);
}
template <bool kPropagate, class T>
inline T float_max(T a, T b) {
  const T larger = a > b || (a == b && sign_bit(a) == 0) ? a : b;
  const T number = a != a ? b : b != b ? a : larger;
  return kPropagate && (a != a || b != b) ? canonical(a + b) : canonical(number);
}

}  // namespace roofline::sim::isa
