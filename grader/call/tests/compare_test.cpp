// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Comparison and the pattern classifier: each pattern with an example, and with a near miss that must not be
// named so.
#include "grader/call/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "grader/call/pattern.h"
#include "grader/lab/generate.h"

namespace roofline::grader {
namespace {

constexpr std::uint32_t kPoison = 0x7fc12e34;
constexpr double kInf = std::numeric_limits<double>::infinity(),
                 kNan = std::numeric_limits<double>::quiet_NaN();

void twice(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  for (auto i = begin; i < end; ++i) expected[i - begin] = {2.0 * x[i], std::abs(2.0 * x[i])};
}

/// y = 2x on n elements, with a chance to spoil y.
struct Scene {
  std::vector<float> x, y;
  Output output{.argument = "y", .reference = twice, .tolerance = {.c = 2}};
  Settings settings;
  std::vector<CallView::Array> inputs;
  Comparison comparison;

  explicit Scene(std::size_t n, const std::function<void(Scene&)>& spoil, std::size_t columns = 0)
      : x(n), y(n) {
    fill_random(Type::kF32, std::as_writable_bytes(std::span(x)), 5, -1, 1);
    for (std::size_t i = 0; i < n; ++i) y[i] = 2 * x[i];
    if (columns != 0) output.columns = [columns](const Settings&) { return static_cast<double>(columns); };
    spoil(*this);
    inputs = {{"x", Type::kF32, std::as_bytes(std::span(x))}};
    comparison = compare(output, Type::kF32, view(), settings, got(), {kPoison, true, {}});
  }
  CallView view() const { return CallView(inputs, {}); }
  std::span<const std::byte> got() const { return std::as_bytes(std::span(y)); }
  PatternFound pattern() const {
    const CallView call = view();
    return find_pattern({output, Type::kF32, call, settings, got(), comparison, kPoison, true, inputs});
  }
};

TEST(Compare, CountsAndShowsWhatIsWrong) {
  const Scene scene(100'000, [](Scene& s) {
    for (const std::size_t i : {7U, 70'000U, 70'001U, 80'000U, 80'010U, 90'000U}) s.y[i] += 1;
    s.y[70'001] = 50;
  });
  EXPECT_EQ(scene.comparison.wrong, 6U);
  EXPECT_EQ(scene.comparison.checked, 100'000U);
  ASSERT_EQ(scene.comparison.first.size(), 5U);
  EXPECT_EQ(scene.comparison.first[0].index, 7U);
  EXPECT_EQ(scene.comparison.first[4].index, 80'010U);
  EXPECT_EQ(scene.comparison.worst.index, 70'001U);
  EXPECT_EQ(scene.comparison.wrong_indices,
            (std::vector<std::uint64_t>{7, 70'000, 70'001, 80'000, 80'010, 90'000}));
  const std::string text = describe(scene.comparison, "y");
  EXPECT_NE(describe(scene.comparison, "y", 1).find(", column 0): expected"), std::string::npos);
  EXPECT_EQ(text.find("6 of 100000 elements of y are wrong\n  y[7]: expected"), 0U) << text;
  EXPECT_NE(text.find("worst: y[70001]"), std::string::npos) << text;
}

TEST(Compare, RightIsRight) {
  EXPECT_TRUE(Scene(100'000, [](Scene&) {}).comparison.ok());
  EXPECT_TRUE(Scene(0, [](Scene&) {}).comparison.ok());
}

TEST(Compare, NanNeverPassesWhereANumberIsExpected) {
  EXPECT_EQ(Scene(10'000, [](Scene& s) { s.y[5000] = std::nanf(""); }).comparison.wrong, 1U);
}

TEST(Compare, PoisonIsWrongEvenWhereNanIsExpected) {
  const auto poisoned = [](Scene& s) {
    s.x[3] = std::nanf("");
    s.y[3] = std::bit_cast<float>(kPoison);
  };
  EXPECT_EQ(Scene(100, poisoned).comparison.wrong, 1U);
  EXPECT_TRUE(Scene(100, [](Scene& s) { s.x[3] = s.y[3] = std::nanf(""); }).comparison.ok());
}

TEST(Compare, BoundIsInUnitsOfTheRoundoff) {
  const Tolerance tolerance{.c = 2};
  const auto within = [&](double got) { return acceptable(Type::kF32, tolerance, 1, {1, 1}, got); };
  EXPECT_TRUE(within(1 + 0x1p-23));  // 2 * 2^-24
  EXPECT_FALSE(within(1 + 0x1.1p-23));
  EXPECT_FALSE(within(kNan));
  EXPECT_FALSE(within(kInf));
  EXPECT_TRUE(acceptable(Type::kF32, tolerance, 3, {1, 1}, 1 + 0x3p-23)) << "growth multiplies c";
}

TEST(Compare, InfinitiesAndOverflow) {
  const Tolerance tolerance{.c = 2};
  EXPECT_TRUE(acceptable(Type::kF32, tolerance, 1, {kInf, kInf}, kInf));
  EXPECT_FALSE(acceptable(Type::kF32, tolerance, 1, {kInf, kInf}, -kInf));
  EXPECT_FALSE(acceptable(Type::kF32, tolerance, 1, {kInf, kInf}, 3e38));
  EXPECT_TRUE(acceptable(Type::kF32, tolerance, 1, {1e39, 1e39}, kInf)) << "a float overflows there";
  EXPECT_FALSE(acceptable(Type::kF32, tolerance, 1, {1e38, 1e38}, kInf));
  EXPECT_FALSE(acceptable(Type::kF32, tolerance, 1, {5, kInf}, 7)) << "an infinite bound allows nothing";
}

// Breaks when what is equal is wrong, because the magnitude that the bound is made of is no number.
TEST(Compare, EqualIsRightWhateverTheBound) {
  const Tolerance tolerance{.c = 2};
  for (const double magnitude : {kNan, kInf}) {
    EXPECT_TRUE(acceptable(Type::kF32, tolerance, 1, {0, magnitude}, 0));
    EXPECT_TRUE(acceptable(Type::kF32, tolerance, 1, {0.1, magnitude}, static_cast<double>(0.1F)));
    EXPECT_FALSE(acceptable(Type::kF32, tolerance, 1, {0, magnitude}, 1));
    EXPECT_FALSE(acceptable(Type::kF32, tolerance, 1, {0, magnitude}, kNan));
  }
}

// Breaks when a mismatch reads "expected 0.333333333, got 0.333333333".
TEST(Compare, WhatDiffersReadsDifferently) {
  Comparison found;
  found.wrong = found.checked = 1;
  found.first = {{0, 1.0 / 3, 1.0 / 3 + 1e-15, 1e-15, 0}};
  EXPECT_NE(describe(found, "y").find("expected 0.33333333333333331, got 0.3333333333333343"),
            std::string::npos)
      << describe(found, "y");
  found.first = {{0, 3'735'928'559, 1, kNan, 0}};
  EXPECT_NE(describe(found, "y").find("expected 3735928559, got 1"), std::string::npos);
  found.first = {{0, kNan, kNan, kNan, 0, true}};
  EXPECT_NE(describe(found, "y").find("expected nan, never written"), std::string::npos);
  found.first = {{0, 1, kNan, kNan, 0}};
  EXPECT_TRUE(describe(found, "y", 0, true).ends_with("y[0]: expected 1, never written"))
      << "not NaN, which the judge had put there";
}

TEST(Compare, DenormalsCount) {
  const Tolerance tolerance{.c = 2};
  EXPECT_FALSE(acceptable(Type::kF32, tolerance, 1, {1e-40, 1e-40}, 0)) << "flush to zero is an error";
  EXPECT_TRUE(acceptable(Type::kF32, tolerance, 1, {1e-45, 1e-45}, 0x1p-149));
}

TEST(Compare, ExactMeansBits) {
  const Tolerance exact{.c = 0};
  EXPECT_TRUE(acceptable(Type::kF32, exact, 1, {0.1, 1}, static_cast<double>(0.1F)));
  EXPECT_FALSE(acceptable(Type::kF32, exact, 1, {0.1, 1}, static_cast<double>(std::nextafterf(0.1F, 1))));
  EXPECT_FALSE(acceptable(Type::kF32, exact, 1, {0.0, 1}, -0.0));
}

TEST(Compare, SampledPositionsIncludeBothEnds) {
  const auto positions = sample_positions(10'000'000, 3);
  EXPECT_TRUE(std::ranges::is_sorted(positions));
  EXPECT_EQ(positions.front(), 0U);
  EXPECT_EQ(positions.back(), 9'999'999U);
  EXPECT_GT(positions.size(), 60'000U);
  EXPECT_NE(positions, sample_positions(10'000'000, 4));
  EXPECT_TRUE(sample_positions(1000, 3).empty()) << "few elements are all looked at";
}

TEST(Compare, SamplingSeesOnePercent) {
  const Scene scene(200'000, [](Scene&) {});
  std::vector<float> spoiled = scene.y;
  for (std::size_t i = 0; i < 2000; ++i) spoiled[123'000 + i] = 0;
  const Comparison found =
      compare(scene.output, Type::kF32, scene.view(), scene.settings, std::as_bytes(std::span(spoiled)),
              {0, false, sample_positions(200'000, 8)});
  EXPECT_GT(found.wrong, 300U);
  EXPECT_NE(describe(found, "y").find("elements looked at in y"), std::string::npos);
}

struct Example {
  const char* name;
  Pattern pattern;
  std::function<void(Scene&)> spoil;
};

class Patterns : public testing::TestWithParam<Example> {};

TEST_P(Patterns, Named) {
  const Scene scene(4096 + 100, GetParam().spoil);
  ASSERT_FALSE(scene.comparison.ok());
  const PatternFound found = scene.pattern();
  EXPECT_EQ(found.pattern, GetParam().pattern) << found.sentence;
  EXPECT_EQ(found.sentence.empty(), found.pattern == Pattern::kNone);
}

void poison(Scene& s, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) s.y[i] = std::bit_cast<float>(kPoison);
}

INSTANTIATE_TEST_SUITE_P(
    , Patterns,
    testing::Values(
        Example{"untouched", Pattern::kUntouched, [](Scene& s) { poison(s, 0, s.y.size()); }},
        Example{"untouched_tail", Pattern::kUntouched, [](Scene& s) { poison(s, 4096, s.y.size()); }},
        Example{"untouched_beside_wrong", Pattern::kSomeUntouched,
                [](Scene& s) {
                  std::ranges::fill(s.y, 3.0F);
                  poison(s, 100, s.y.size());
                }},
        Example{"all_zero", Pattern::kAllZero, [](Scene& s) { std::ranges::fill(s.y, 0.0F); }},
        Example{"nearly_all_zero", Pattern::kTail,
                [](Scene& s) { std::ranges::fill(std::span(s.y).subspan(1), 0.0F); }},
        Example{"constant", Pattern::kConstant, [](Scene& s) { std::ranges::fill(s.y, 3.0F); }},
        Example{"all_nan", Pattern::kNanFrom, [](Scene& s) { std::ranges::fill(s.y, std::nanf("")); }},
        Example{"copied", Pattern::kInputCopied, [](Scene& s) { s.y = s.x; }},
        Example{"scaled", Pattern::kScaled,
                [](Scene& s) {
                  for (float& y : s.y) y *= 0.25F;
                }},
        Example{"nearly_copied", Pattern::kScaled,
                [](Scene& s) {
                  s.y = s.x;
                  s.y[17] = 2 * s.x[17];
                }},
        Example{"nan_from", Pattern::kNanFrom,
                [](Scene& s) { std::ranges::fill(std::span(s.y).subspan(1000), std::nanf("")); }},
        Example{"shifted_left", Pattern::kShifted,
                [](Scene& s) { std::rotate(s.y.begin(), s.y.begin() + 1, s.y.end()); }},
        Example{"shifted_right", Pattern::kShifted,
                [](Scene& s) { std::rotate(s.y.begin(), s.y.end() - 1, s.y.end()); }},
        Example{"shifted_by_two", Pattern::kNone,
                [](Scene& s) { std::rotate(s.y.begin(), s.y.begin() + 2, s.y.end()); }},
        Example{"tail", Pattern::kTail,
                [](Scene& s) {
                  for (std::size_t i = 4100; i < s.y.size(); ++i) s.y[i] += 1;
                }},
        Example{"tail_but_the_last", Pattern::kNone,
                [](Scene& s) {
                  for (std::size_t i = 4100; i + 1 < s.y.size(); ++i) s.y[i] += 1;
                }},
        Example{"after_power_of_two", Pattern::kAfterPowerOfTwo,
                [](Scene& s) {
                  for (std::size_t i = 2048; i < s.y.size(); ++i) s.y[i] += 1;
                }},
        Example{"after_near_power_of_two", Pattern::kTail,
                [](Scene& s) {
                  for (std::size_t i = 2047; i < s.y.size(); ++i) s.y[i] += 1;
                }},
        Example{"every_fourth", Pattern::kEveryKth,
                [](Scene& s) {
                  for (std::size_t i = 3; i < s.y.size(); i += 4) s.y[i] += 1;
                }},
        Example{"every_fourth_but_one", Pattern::kNone,
                [](Scene& s) {
                  for (std::size_t i = 3; i < s.y.size(); i += 4) s.y[i] += i == 403 ? 0.0F : 1.0F;
                }},
        Example{"only_every_fourth", Pattern::kOnlyEveryKth,
                [](Scene& s) {
                  for (std::size_t i = 0; i < s.y.size(); ++i) s.y[i] += i % 4 == 0 ? 0.0F : 1.0F;
                }},
        Example{"scattered", Pattern::kNone,
                [](Scene& s) {
                  for (const std::size_t i : {5U, 90U, 91U, 1000U, 3999U}) s.y[i] += 1;
                }}),
    [](const auto& example) { return std::string(example.param.name); });

TEST(Pattern, TransposedNeedsTheRowLength) {
  const std::size_t rows = 37, columns = 53;
  const auto transpose = [=](Scene& s) {
    const std::vector<float> right = s.y;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) s.y[c * rows + r] = right[r * columns + c];
    }
  };
  EXPECT_EQ(Scene(rows * columns, transpose, columns).pattern().pattern, Pattern::kTransposed);
  EXPECT_EQ(Scene(rows * columns, transpose).pattern().pattern, Pattern::kNone);
}

// Breaks when a wrong last part of each row, or wrong rows among right ones, read like scattered elements, or
// when what is right by chance hides them.
TEST(Pattern, ColumnsAndRows) {
  const std::size_t rows = 37, columns = 53;
  const auto wrong_where = [=](auto is_wrong) {
    return Scene(
               rows * columns,
               [=](Scene& s) {
                 for (std::size_t i = 0; i < s.y.size(); ++i)
                   if (is_wrong(i / columns, i % columns)) s.y[i] += 1;
               },
               columns)
        .pattern();
  };
  const auto behind = [](std::size_t row, std::size_t column) {
    return column >= 32 && !(row == 3 && column == 40);
  };
  EXPECT_EQ(wrong_where(behind).pattern, Pattern::kFromColumn);
  EXPECT_EQ(wrong_where(behind).sentence, "each row is right up to column 31, and wrong from column 32 on");
  EXPECT_EQ(wrong_where([](std::size_t row, std::size_t column) {
              return column >= 32 && (row + column) % 3 != 0;
            }).pattern,
            Pattern::kNone)
      << "a third is more than chance";
  const auto odd = [](std::size_t row, std::size_t column) { return row % 2 == 1 && column != 7; };
  EXPECT_EQ(wrong_where(odd).pattern, Pattern::kRows);
  EXPECT_EQ(wrong_where(odd).sentence,
            "every 2nd row is wrong, starting at row 1, of 37; the other rows are right");
  EXPECT_EQ(wrong_where([](std::size_t row, std::size_t column) {
              return row >= 5 && row < 9 && column != 7;
            }).sentence,
            "rows 5 to 8 are wrong, of 37; the other rows are right");
  EXPECT_EQ(
      wrong_where([](std::size_t row, std::size_t column) { return row == 5 && column % 3 == 0; }).pattern,
      Pattern::kNone)
      << "a third of a row";
}

TEST(Pattern, ChangedPoisonIsNotUntouched) {
  std::vector<std::uint32_t> words(100, kPoison);
  EXPECT_TRUE(untouched(std::as_bytes(std::span(words)), kPoison));
  words[99] ^= 1;
  EXPECT_FALSE(untouched(std::as_bytes(std::span(words)), kPoison));
}

// Breaks when a large output is looked at in other places than these rows, or when a run of neighbours is
// compared with another element's reference.
TEST(Compare, SampledRowsAreWholeRows) {
  const auto positions = sample_rows(1000 * 64, 64, 5, 3);
  ASSERT_EQ(positions.size(), 7U * 64);
  EXPECT_EQ(positions.front(), 0U);
  EXPECT_EQ(positions.back(), 1000U * 64 - 1);
  for (std::size_t i = 0; i < positions.size(); ++i) EXPECT_EQ(positions[i] % 64, i % 64);
  EXPECT_TRUE(sample_rows(7 * 64, 64, 5, 3).empty()) << "few rows are compared in full";
  const auto wrong_at = [&](std::size_t index) {
    Scene scene(1000 * 64, [&](Scene& s) { s.y[index] += 1; });
    return compare(scene.output, Type::kF32, scene.view(), scene.settings, scene.got(),
                   {kPoison, true, positions});
  };
  EXPECT_EQ(wrong_at(positions[100]).wrong_indices, std::vector<std::uint64_t>{positions[100]});
  std::size_t elsewhere = 64;
  while (std::ranges::binary_search(positions, elsewhere)) elsewhere += 64;
  EXPECT_TRUE(wrong_at(elsewhere).ok()) << "not among the sampled rows";
}

}  // namespace
}  // namespace roofline::grader
