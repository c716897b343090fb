// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/generate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

#include "grader/lab/half.h"

namespace roofline::grader {
namespace {

template <class T>
std::vector<T> filled(Type type, std::size_t count, std::uint64_t seed, double low = -1, double high = 1) {
  std::vector<T> values(count);
  fill_random(type, std::as_writable_bytes(std::span(values)), seed, low, high);
  return values;
}

TEST(Generate, FloatsAreUniformZeroMeanAndFullPrecision) {
  const auto values = filled<float>(Type::kF32, 1'000'001, 3);
  double sum = 0, squares = 0;
  std::size_t odd_mantissas = 0;
  for (const float v : values) {
    ASSERT_GE(v, -1.0F);
    ASSERT_LT(v, 1.0F);
    sum += v;
    squares += static_cast<double>(v) * static_cast<double>(v);
    // The last of the 23 bits below 1: with coarse values a half-precision kernel would look exact.
    odd_mantissas += static_cast<std::int64_t>(std::ldexp(static_cast<double>(v), 23)) & 1;
  }
  const auto n = static_cast<double>(values.size());
  EXPECT_NEAR(sum / n, 0, 0.003);
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.003);
  EXPECT_NEAR(static_cast<double>(odd_mantissas) / n, 0.5, 0.01);
}

TEST(Generate, AnElementDependsOnSeedAndIndexOnly) {
  // A short array is the beginning of a long one, however the long one was split between threads.
  for (const Type type : {Type::kF32, Type::kF64, Type::kF16, Type::kU8, Type::kS32}) {
    const std::size_t count = 700'001;
    std::vector<std::byte> all(count * bytes_of(type)), part(999 * bytes_of(type));
    fill_random(type, all, 9, -1, 1);
    fill_random(type, part, 9, -1, 1);
    EXPECT_EQ(std::memcmp(all.data(), part.data(), part.size()), 0) << name_of(type);
  }
  EXPECT_NE(filled<float>(Type::kF32, 100, 1), filled<float>(Type::kF32, 100, 2));
}

TEST(Generate, IntegersKeepTheirRange) {
  std::set<int> seen;
  for (const int v : filled<std::int32_t>(Type::kS32, 10'000, 4, -3, 5)) seen.insert(v);
  EXPECT_EQ(seen, (std::set<int>{-3, -2, -1, 0, 1, 2, 3, 4, 5}));
}

TEST(Generate, SpecialValuesAllOccur) {
  auto values = filled<float>(Type::kF32, 1000, 1);
  inject_special(Type::kF32, std::as_writable_bytes(std::span(values)), 7);
  std::size_t nan = 0, inf = 0, negative_inf = 0, negative_zero = 0, denormal = 0;
  for (const float v : values) {
    nan += std::isnan(v);
    inf += v == std::numeric_limits<float>::infinity();
    negative_inf += v == -std::numeric_limits<float>::infinity();
    negative_zero += v == 0 && std::signbit(v);
    denormal += std::fpclassify(v) == FP_SUBNORMAL;
  }
  EXPECT_GT(std::min({nan, inf, negative_inf, negative_zero, denormal}), 0U);
  EXPECT_LT(nan + inf + negative_inf + negative_zero + denormal, 100U);
  std::vector<std::int32_t> integers = filled<std::int32_t>(Type::kS32, 100, 1);
  const auto before = integers;
  inject_special(Type::kS32, std::as_writable_bytes(std::span(integers)), 7);
  EXPECT_EQ(integers, before);
}

TEST(Generate, ScalarsAreNeverNearZero) {
  bool negative = false, positive = false;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const double value = random_scalar(Type::kF32, seed);
    ASSERT_GE(std::abs(value), 0.5);
    ASSERT_LE(std::abs(value), 2);
    ASSERT_EQ(value, static_cast<double>(static_cast<float>(value)));
    (value < 0 ? negative : positive) = true;
  }
  EXPECT_TRUE(negative && positive);
}

TEST(Generate, PoisonIsNanInEveryFloatingType) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::uint32_t words[2] = {poison_word(seed), poison_word(seed)};
    float f;
    double d;
    _Float16 h[2];
    std::memcpy(&f, words, 4);
    std::memcpy(&d, words, 8);
    std::memcpy(h, words, 4);
    EXPECT_TRUE(std::isnan(f) && std::isnan(d)) << seed;
    EXPECT_TRUE(std::isnan(static_cast<float>(h[0])) && std::isnan(static_cast<float>(h[1]))) << seed;
  }
  EXPECT_NE(poison_word(1), poison_word(2));
}

TEST(Generate, DerivedSeedsDifferByPurposeAndIndex) {
  std::set<std::uint64_t> seen;
  for (const Purpose purpose : {Purpose::kArray, Purpose::kScalar, Purpose::kPoison, Purpose::kCalls}) {
    for (std::uint64_t index = 0; index < 1000; ++index) seen.insert(derive(1, purpose, index));
  }
  EXPECT_EQ(seen.size(), 4000U);
  EXPECT_NE(derive(1, Purpose::kArray, 0), derive(2, Purpose::kArray, 0));
}

TEST(Generate, TwentyMillionFloatsAreQuick) {
  std::vector<float> values(20'000'000);
  const auto begin = std::chrono::steady_clock::now();
  fill_random(Type::kF32, std::as_writable_bytes(std::span(values)), 3, -1, 1);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_LT(seconds, 1.5)
      << "0.05 s on an idle core; a generator of another order would show even under load";
}

// Breaks when memory that was never written looks like a result that is NaN, in either half of a word.
TEST(Generate, PoisonIsNoResult) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const std::uint32_t word = poison_word(seed);
    for (const std::uint32_t half : {word & 0xffffU, word >> 16U}) {
      EXPECT_NE(half, 0x7fffU) << seed;
      EXPECT_NE(half, 0x7e00U) << seed;
      EXPECT_GT(half & 0x7fffU, 0x7c00U) << seed;
    }
  }
}

}  // namespace
}  // namespace roofline::grader
