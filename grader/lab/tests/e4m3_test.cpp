// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/e4m3.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grader/lab/generate.h"
#include "grader/lab/program.h"

namespace roofline::grader {
namespace {

TEST(E4m3, ValuesAreThoseOfTheFormat) {
  EXPECT_EQ(value_of(E4M3{0x00}), 0);
  EXPECT_EQ(value_of(E4M3{0x01}), 0x1p-9);
  EXPECT_EQ(value_of(E4M3{0x08}), 0x1p-6);
  EXPECT_EQ(value_of(E4M3{0x38}), 1);
  EXPECT_EQ(value_of(E4M3{0x7e}), kLargestE4M3);
  EXPECT_EQ(value_of(E4M3{0xbc}), -1.5);
  EXPECT_TRUE(std::isnan(value_of(E4M3{0x7f})));
}

// Breaks when a number is not its own nearest one, or the one in the middle does not go to the even one.
TEST(E4m3, RoundsToTheNearestTiesToEven) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const E4M3 number{static_cast<std::uint8_t>(bits)};
    if ((bits & 0x7fU) == 0x7f) continue;
    EXPECT_EQ(e4m3_of(value_of(number)), number) << bits;
    if ((bits & 0x7fU) == 0x7e) continue;
    const E4M3 next{static_cast<std::uint8_t>(bits + 1)};
    const double middle = (value_of(number) + value_of(next)) / 2;
    EXPECT_EQ(e4m3_of(middle), bits % 2 == 0 ? number : next) << bits;
    EXPECT_EQ(e4m3_of(middle + (value_of(next) - middle) / 64), next) << bits;
  }
}

TEST(E4m3, BeyondTheLargestIsTheLargest) {
  EXPECT_EQ(value_of(e4m3_of(1e9)), 448);
  EXPECT_EQ(value_of(e4m3_of(-460)), -448);
  EXPECT_TRUE(std::isnan(value_of(e4m3_of(std::nan("")))));
}

TEST(E4m3, RandomArraysHoldNumbersOfTheirRange) {
  std::vector<E4M3> numbers(10'000);
  fill_random(Type::kE4M3, std::as_writable_bytes(std::span(numbers)), 7, -448, 448);
  double largest = 0, sum = 0;
  for (const E4M3 number : numbers) {
    ASSERT_FALSE(std::isnan(value_of(number)));
    largest = std::max(largest, std::abs(value_of(number)));
    sum += value_of(number);
  }
  EXPECT_EQ(largest, 448);
  EXPECT_LT(std::abs(sum / 10'000), 15);
}

}  // namespace
}  // namespace roofline::grader
