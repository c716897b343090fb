// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace roofline::grader {

/// An 8-bit floating-point number with four bits of exponent and three of mantissa: the bits of CUDA's
/// __nv_fp8_e4m3. It has no infinity; 0x7f and 0xff are NaN.
struct E4M3 {
  std::uint8_t bits = 0;
  bool operator==(const E4M3&) const = default;
};
inline constexpr double kLargestE4M3 = 448, kRoundoffE4M3 = 0x1p-4;

inline double value_of(E4M3 number) {
  const int exponent = number.bits >> 3 & 15, mantissa = number.bits & 7;
  if (exponent == 15 && mantissa == 7) return std::nan("");
  const double size = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return (number.bits & 0x80U) != 0 ? -size : size;
}

/// The nearest one, ties to even; beyond the largest the largest, as CUDA's conversion with saturation has
/// it.
inline E4M3 e4m3_of(double number) {
  const std::uint8_t sign = std::signbit(number) ? 0x80 : 0;
  if (std::isnan(number)) return {static_cast<std::uint8_t>(sign | 0x7fU)};
  const double size = std::min(std::abs(number), kLargestE4M3);
  // Numbers from 2^e to 2^(e + 1) are multiples of 2^(e - 3), from e = -6 on.
  const int exponent = size < 0x1p-6 ? -6 : std::ilogb(size);
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(size, 3 - exponent)));  // 0 to 16
  return {static_cast<std::uint8_t>(sign | static_cast<unsigned>((exponent + 6) * 8 + steps))};
}

}  // namespace roofline::grader
