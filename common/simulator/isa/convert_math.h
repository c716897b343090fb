// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "simulator/isa/half_math.h"
#include "simulator/isa/integer_math.h"

/// Conversions of one value between the number types.
namespace roofline::sim::isa {

/// Rounding direction of a conversion.
enum class Rounding : u8 { kNearest, kZero, kDown, kUp, kAway };

/// An integer in another integer type, held at its limits.
template <class D, class A>
constexpr D clamp_integer(A a) {
  constexpr D low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max();
  if constexpr (std::is_signed_v<A>) {
    if (a < 0) {
      if constexpr (!std::is_signed_v<D>)
        return D{0};
      else
        return static_cast<s64>(a) < static_cast<s64>(low) ? low : static_cast<D>(a);
    }
  }
  return static_cast<u64>(a) > static_cast<u64>(high) ? high : static_cast<D>(a);
}

/// A float (already integral) as s32; the compiler's conversion where it is defined.
template <class F>
constexpr s32 to_s32(F a) {
  const bool below = a < static_cast<F>(-0x1p31), above = a >= static_cast<F>(0x1p31);
  const bool outside = below || above || a != a;
  const s32 inside = static_cast<s32>(outside ? F{0} : a);
  return below ? std::numeric_limits<s32>::min() : above ? std::numeric_limits<s32>::max() : inside;
}
template <class F>
constexpr u32 to_unsigned32(F a) {
  const bool above = a >= static_cast<F>(0x1p32), high = a >= static_cast<F>(0x1p31);
  const F reduced = high ? a - static_cast<F>(0x1p31) : a;
  const s32 inside = static_cast<s32>(above || !(a > F{0}) ? F{0} : reduced);
  return above ? ~0u : static_cast<u32>(inside) ^ (high ? 0x8000'0000u : 0u);
}

/// What a NaN becomes (PTX manual 9.0): zero, unless one of both sides has 64 bits; then only the highest bit
/// is set.
template <class D, class F>
constexpr D integer_of_nan() {
  if constexpr (sizeof(D) == 8 || sizeof(F) == 8)
    return static_cast<D>(u64{1} << (8 * sizeof(D) - 1));
  else
    return 0;
}

/// Float to integer: out of range goes to the nearest limit.
template <class D, class F>
constexpr D to_integer(F a) {
  if constexpr (sizeof(F) == 8 && sizeof(D) <= 4)
    if (a != a) return integer_of_nan<D, F>();
  if constexpr (sizeof(D) < 4) {
    return clamp_integer<D>(to_s32(a));
  } else if constexpr (std::is_same_v<D, s32>) {
    return to_s32(a);
  } else if constexpr (std::is_same_v<D, u32>) {
    return to_unsigned32(a);
  } else {
    constexpr F high = std::is_signed_v<D> ? static_cast<F>(0x1p63) : static_cast<F>(0x1p64);
    constexpr F low = std::is_signed_v<D> ? static_cast<F>(-0x1p63) : F{0};
    if (a != a) return integer_of_nan<D, F>();
    if (a >= high) return std::numeric_limits<D>::max();
    return a <= low ? std::numeric_limits<D>::min() : static_cast<D>(a);
  }
}

/// To an integral value, in the same float type.
template <Rounding kRounding, class F>
F to_integral(F a) {
  if constexpr (kRounding == Rounding::kNearest)
    return std::rint(a);
  else if constexpr (kRounding == Rounding::kZero)
    return std::trunc(a);
  else if constexpr (kRounding == Rounding::kDown)
    return std::floor(a);
  else
    return std::ceil(a);
}

/// An integer as an f32 rounded to odd, for a later rounding to 8 or 11 bits.
template <class A>
f32 integer_to_odd(A a) {
  if constexpr (sizeof(A) < 8) {
    return to_odd(static_cast<f64>(a));
  } else {
    const bool negative = a < 0;
    const u64 size = negative ? 0 - static_cast<u64>(a) : static_cast<u64>(a);
    // 53 bits fit a double; below them, one sticky bit says whether anything is left.
    const u64 kept = size >> 53 == 0 ? size : (size >> 11 | u64{(size & 0x7ffu) != 0});
    const f64 exact = static_cast<f64>(kept) * (size >> 53 == 0 ? 1.0 : 0x1p11);
    return to_odd(negative ? -exact : exact);
  }
}

/// To f16 or bf16 in any direction: the nearest one, stepped back when it lies on the wrong side.
template <class H>
H narrow(f32 a, Rounding rounding) {
  const H nearest = narrow<H>(a);
  const f32 back = widen(nearest);
  if (a != a || back == a || rounding == Rounding::kNearest) return nearest;
  const bool larger = magnitude(back) > magnitude(a), negative = sign_bit(a) != 0;
  const bool outward = rounding != Rounding::kZero && (rounding == Rounding::kDown) == negative;
  if (larger == outward) return nearest;
  return {static_cast<u16>(outward ? nearest.bits + 1 : nearest.bits - 1)};
}

}  // namespace roofline::sim::isa
