// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>

#if defined(__aarch64__) && __GNUC__ < 13 && !defined(__clang__)
using _Float16 = __fp16;  // GCC 12 has the name on ARM in C alone; in C++ the type has an older one
#endif

namespace roofline::grader {

/// A half as a double. Where the CPU has no instruction for it a plain cast calls a library for each; this
/// is a few operations on integers that a compiler vectorises.
inline double value_of(_Float16 half) {
  const std::uint32_t bits = std::bit_cast<std::uint16_t>(half), magnitude = bits & 0x7fffU;
  // As the bits of a float its exponent is 112 too low, also where it is subnormal.
  const float finite = std::bit_cast<float>(magnitude << 13U) * 0x1p112F;
  const std::uint32_t beyond = magnitude >= 0x7c00 ? 0x7f800000U : 0;  // infinity, NaN
  return static_cast<double>(
      std::bit_cast<float>(std::bit_cast<std::uint32_t>(finite) | beyond | (bits & 0x8000U) << 16U));
}

/// The half nearest to a float, ties to even, without that library.
inline _Float16 half_of(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Below 2^-14 halves are multiples of 2^-24, and so are floats from 0.5 to 1: the sum rounds.
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
                                  std::bit_cast<std::uint32_t>(0.5F);
  // Half of the last place, less where that goes to an even number; a carry ends in the exponent, at last in
  // infinity's.
  const std::uint32_t normal = (magnitude - (112U << 23U) + 0xfffU + (magnitude >> 13U & 1U)) >> 13U;
  const std::uint32_t special = magnitude > 0x7f800000U ? 0x7e00 : 0x7c00;
  const std::uint32_t half = magnitude >= 0x47800000U  ? special
                             : magnitude < 0x38800000U ? subnormal
                                                       : normal;
  return std::bit_cast<_Float16>(static_cast<std::uint16_t>(half | (bits >> 16U & 0x8000U)));
}

}  // namespace roofline::grader
