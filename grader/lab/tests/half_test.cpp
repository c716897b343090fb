// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace roofline::grader {
namespace {

std::uint16_t bits_of(_Float16 half) { return std::bit_cast<std::uint16_t>(half); }

/// All of them, also infinities, subnormals and -0. Would fail with an exponent that is off by one.
TEST(Half, ValuesAreTheCompilersOwn) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits));
    const auto expected = static_cast<double>(half);
    const double value = value_of(half);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
    } else {
      ASSERT_EQ(value, expected) << bits;
      ASSERT_EQ(std::signbit(value), std::signbit(expected)) << bits;
    }
  }
}

/// Each half, what is halfway to the next, and the floats beside both: where rounding to nearest and ties to
/// even show. The largest of them round to infinity.
TEST(Half, RoundsAsTheCompilerDoes) {
  for (std::uint32_t bits = 0; bits <= 0x7c00; ++bits) {
    const auto half = static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits)));
    const float next = bits < 0x7bff
                           ? static_cast<float>(std::bit_cast<_Float16>(static_cast<std::uint16_t>(bits + 1)))
                           : 65536.0F;
    for (const float at : {half, std::midpoint(half, next)})
      for (const float number : {at, std::nextafter(at, 0.0F), std::nextafter(at, 1e30F)})
        for (const float either : {number, -number})
          ASSERT_EQ(bits_of(half_of(either)), bits_of(static_cast<_Float16>(either))) << either;
  }
  EXPECT_TRUE(std::isnan(value_of(half_of(NAN))));
}

}  // namespace
}  // namespace roofline::grader
