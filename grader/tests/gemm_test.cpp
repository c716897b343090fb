// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What lab 04 checks of a product that is too large for its reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "grader/call/compare.h"
#include "grader/lab/generate.h"
#include "grader/lab/half.h"
#include "grader/lab/spec.h"

namespace roofline::grader::gemm {
namespace {

constexpr int kM = 48, kN = 200, kK = 300;

const Part& gemm() {
  const std::vector<Lab>& labs = all_labs();
  return std::ranges::find(labs, std::string("04-gemm"), &Lab::folder)->parts[0];
}

/// A product as an honest kernel makes it: FP32 sums, term by term.
struct Scene {
  std::vector<_Float16> a = std::vector<_Float16>(kM * kK), b = std::vector<_Float16>(kK * kN);
  std::vector<float> c = std::vector<float>(kM * kN);
  const Output& output = gemm().program.outputs[0];

  Scene() {
    fill_random(Type::kF16, std::as_writable_bytes(std::span(a)), 5, -1, 1);
    fill_random(Type::kF16, std::as_writable_bytes(std::span(b)), 6, -1, 1);
    for (int i = 0; i < kM; ++i)
      for (int k = 0; k < kK; ++k)
        for (int j = 0; j < kN; ++j)
          c[at(i, j)] += static_cast<float>(a[i * kK + k]) * static_cast<float>(b[k * kN + j]);
  }
  static std::size_t at(int i, int j) {
    return static_cast<std::size_t>(i) * kN + static_cast<std::size_t>(j);
  }
  CallView view() const {
    return CallView(
        {{"a", Type::kF16, std::as_bytes(std::span(a))}, {"b", Type::kF16, std::as_bytes(std::span(b))}},
        {{"m", kM}, {"n", kN}, {"k", kK}});
  }
  std::vector<std::uint64_t> suspects() const {
    return output.whole(view(), {}, std::as_bytes(std::span(c)), 11).suspects;
  }
  Comparison compared() const {
    const Settings settings({{"m", kM}, {"n", kN}, {"k", kK}}, {});
    Output of_call = output;
    of_call.reference = output.reference_of(view());
    return compare(of_call, Type::kF32, view(), settings, std::as_bytes(std::span(c)));
  }
};

// Breaks when Freivalds' check suspects an honest product, or when the reference and the check disagree.
TEST(Gemm, HonestProductIsNotSuspected) {
  const Scene scene;
  EXPECT_TRUE(scene.compared().ok());
  EXPECT_TRUE(scene.suspects().empty());
}

// Breaks when Freivalds' check overlooks what it is there for: one wrong element, two that changed places, a
// row that is too small by 1 % of K, NaN. The row it names is then compared element by element.
TEST(Gemm, WrongRowsAreSuspected) {
  const auto is_row = [](const std::vector<std::uint64_t>& suspects, int row) {
    return suspects.size() == kN && suspects.front() == Scene::at(row, 0) &&
           suspects.back() == Scene::at(row, kN - 1);
  };
  Scene one;
  one.c[Scene::at(17, 33)] += 1;
  EXPECT_TRUE(is_row(one.suspects(), 17));
  Scene swapped;
  std::swap(swapped.c[Scene::at(3, 10)], swapped.c[Scene::at(3, 11)]);
  EXPECT_TRUE(is_row(swapped.suspects(), 3));
  Scene shortened;
  for (int j = 0; j < kN; ++j)
    for (int k = kK - 3; k < kK; ++k)
      shortened.c[Scene::at(40, j)] -=
          static_cast<float>(shortened.a[40 * kK + k]) * static_cast<float>(shortened.b[k * kN + j]);
  EXPECT_TRUE(is_row(shortened.suspects(), 40));
  Scene nan;
  nan.c[Scene::at(5, 5)] = std::nanf("");
  EXPECT_TRUE(is_row(nan.suspects(), 5));
  EXPECT_FALSE(nan.compared().ok());
}

// Breaks when the tolerance no longer tells FP32 sums from sums in half.
TEST(Gemm, HalfSumsAreWrong) {
  Scene scene;
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j) {
      _Float16 sum = 0;
      for (int k = 0; k < kK; ++k)
        sum = static_cast<_Float16>(sum + scene.a[i * kK + k] * scene.b[k * kN + j]);
      scene.c[Scene::at(i, j)] = static_cast<float>(sum);
    }
  EXPECT_GT(scene.compared().wrong, 9U * kM * kN / 10);
}

}  // namespace
}  // namespace roofline::grader::gemm
