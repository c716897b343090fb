// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>
#include <limits>

namespace roofline::grader {

/// A half as a double. Where the CPU has no instruction for it a plain cast calls a library for each; this
/// is a few operations on integers that a compiler vectorises.
inline double value_of(_Float16 half) {
  const auto bits = std::bit_cast<std::uint16_t>(half);
  const std::uint32_t magnitude = bits & 0x7fffU, mantissa = bits & 0x3ffU;
  const bool subnormal = magnitude < 0x400, finite = magnitude < 0x7c00;
  const auto normal = std::bit_cast<float>((magnitude << 13U) + (112U << 23U));  // another exponent's zero
  const float special =
      mantissa == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  const float value = !finite ? special : subnormal ? static_cast<float>(mantissa) * 0x1p-24F : normal;
  return static_cast<double>((bits & 0x8000U) != 0 ? -value : value);
}

}  // namespace roofline::grader
