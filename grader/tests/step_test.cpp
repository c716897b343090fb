// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The reference of lab 15: its gradients are those of its loss, by differences.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "../../labs/15-step/reference.h"
#include "grader/lab/generate.h"

namespace roofline::grader::step_reference {
namespace {

/// Uniform in [-most, most).
Numbers drawn(std::size_t n, double most, std::uint64_t seed) {
  Numbers numbers(n);
  for (std::size_t i = 0; i < n; ++i)
    numbers[i] = most * (static_cast<double>(random_bits(seed, i) >> 11U) * 0x1p-52 - 1);
  return numbers;
}

// Breaks when a term of a gradient is missing: of every tensor some elements, at two shapes.
TEST(StepReference, GradientsAreThoseOfTheLoss) {
  for (const Size& size : {Size{2, 64, 64}, Size{1, 64, 128}}) {
    const std::size_t elements = size.tokens() * size.width;
    const Tensors at(size.width);
    Numbers w = drawn(at.count(), 0.2, 1);
    for (std::size_t i = at.begin[4]; i < at.count(); ++i) w[i] += 1;
    const Numbers x = drawn(elements, 1.5, 2), target = drawn(elements, 1, 3);
    Step step(size, w);
    step.run(x, target);
    const Numbers gradients = step.gradients();
    for (int tensor = 0; tensor < 6; ++tensor)
      for (const double share : {0.0, 0.31, 0.62, 0.93}) {
        const std::size_t n = at.begin[tensor + 1] - at.begin[tensor],
                          i = at.begin[tensor] + static_cast<std::size_t>(share * static_cast<double>(n));
        constexpr double kApart = 1e-4;
        const double before = w[i];
        w[i] = before + kApart;
        const double above = step.run(x, target);
        w[i] = before - kApart;
        const double below = step.run(x, target);
        w[i] = before;
        EXPECT_NEAR(gradients[i], (above - below) / (2 * kApart), 1e-4 * std::abs(gradients[i]) + 1e-8)
            << "tensor " << tensor << ", element " << i - at.begin[tensor] << ", width " << size.width;
      }
  }
}

}  // namespace
}  // namespace roofline::grader::step_reference
