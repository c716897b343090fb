// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <type_traits>

#include "simulator/types.h"

/// Integer arithmetic as the PTX manual defines it: wrap-around everywhere, no undefined behaviour.
namespace roofline::sim::isa {

/// The value in an unsigned type of at least 32 bits, where C++ arithmetic wraps (and u16 * u16 is no int).
template <class T>
constexpr auto wrap(T a) {
  return static_cast<std::conditional_t<(sizeof(T) > 4), u64, u32>>(a);
}

template <class T>
constexpr int bits_of() {
  return static_cast<int>(sizeof(T) * 8);
}

/// The 2N-bit product of two N-bit values, in the kind (signed or not) of the factors.
template <class T>
constexpr auto full_product(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return Wide{a} * Wide{b};
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, s64, u64>;
    return Wide{a} * Wide{b};
  }
}

template <class T>
constexpr T high_product(T a, T b) {
  return static_cast<T>(full_product(a, b) >> bits_of<T>());
}

constexpr s32 saturate_to_s32(s64 a) {
  constexpr s64 low = std::numeric_limits<s32>::min(), high = std::numeric_limits<s32>::max();
  return static_cast<s32>(a < low ? low : a > high ? high : a);
}

/// The 48-bit product of the low 24 bits.
constexpr u64 product24(u32 a, u32 b) { return u64{a & 0xff'ffffu} * (b & 0xff'ffffu); }
constexpr s64 product24(s32 a, s32 b) {
  const auto low24 = [](s32 x) { return s64{static_cast<s32>(static_cast<u32>(x) << 8) >> 8}; };
  return low24(a) * low24(b);
}

/// u32 to double and back by way of s32: what vector units without AVX-512 can convert.
constexpr double to_double(u32 a) { return static_cast<double>(static_cast<s32>(a ^ 0x8000'0000u)) + 0x1p31; }
constexpr u32 to_u32(double a) {
  const bool high = a >= 0x1p31;
  return static_cast<u32>(static_cast<s32>(high ? a - 0x1p31 : a)) ^ (high ? 0x8000'0000u : 0u);
}

/// Division by zero gives all ones, as the code that ptxas emits does; the manual leaves it open.
/// The quotient of two 32-bit integers in double truncates to the exact one: it is never closer than 2^-32
/// (relatively) to the next integer. Doubles vectorise; integer division does not.
constexpr u32 divide(u32 a, u32 b) {
  const u32 quotient = to_u32(to_double(a) / to_double(b == 0 ? 1u : b));
  return b == 0 ? ~0u : quotient;
}
constexpr s32 divide(s32 a, s32 b) {
  const bool special = b == 0 || b == -1;
  const auto quotient = static_cast<s32>(static_cast<double>(a) / static_cast<double>(special ? 1 : b));
  return b == 0 ? -1 : b == -1 ? static_cast<s32>(0u - static_cast<u32>(a)) : quotient;
}
constexpr u16 divide(u16 a, u16 b) { return static_cast<u16>(divide(u32{a}, u32{b})); }
constexpr s16 divide(s16 a, s16 b) { return static_cast<s16>(divide(s32{a}, s32{b})); }
constexpr u64 divide(u64 a, u64 b) { return b == 0 ? ~u64{0} : a / b; }
constexpr s64 divide(s64 a, s64 b) {
  if (b == 0) return -1;
  return b == -1 ? static_cast<s64>(0 - static_cast<u64>(a)) : a / b;
}

template <class T>
constexpr T remainder(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  return static_cast<T>(wrap(a) - wrap(divide(a, b)) * wrap(b));
}

template <class T>
constexpr T absolute(T a) {
  return static_cast<T>(a < 0 ? wrap(T{0}) - wrap(a) : wrap(a));
}

/// f applied to both 16-bit halves; T (u16 or s16) says how they compare.
template <class T, class F>
constexpr u32 by_halves(F f, u32 a, u32 b) {
  const auto low = static_cast<u16>(f(static_cast<T>(a), static_cast<T>(b)));
  const auto high = static_cast<u16>(f(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return u32{low} | u32{high} << 16;
}

}  // namespace roofline::sim::isa
