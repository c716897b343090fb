// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "../../labs/06-memory/arena.h"
#include "../../labs/06-memory/share.h"
#include "grader/judge/performance_checks.h"
#include "grader/lab/chain_reference.h"
#include "grader/lab/memory_roofs.h"
#include "random/philox.h"

namespace roofline::grader::memory_lab {
namespace {

using worker::Refusal;

/// The reason for which `use` is refused; nothing when it is not.
template <class Use>
std::optional<Refusal::Reason> refused(const Use& use) {
  try {
    use();
  } catch (const Refusal& refusal) {
    EXPECT_FALSE(refusal.text.empty());
    return refusal.reason;
  }
  return {};
}

// Breaks when the arena hands out more than its budget, or the same memory twice, or forgets what was
// released.
TEST(Arena, HandsOutItsBudgetAndNoMore) {
  alignas(256) static char memory[1024];
  Arena arena(memory, sizeof memory);
  float* const one = arena.allocate(64);
  float* const two = arena.allocate(65);  // rounded up to 512 bytes
  float* const three = arena.allocate(64);
  EXPECT_EQ(two, one + 64);
  EXPECT_EQ(three, one + 192);
  EXPECT_EQ(refused([&] { arena.allocate(1); }), Refusal::Reason::kBudgetExceeded);
  arena.release(two);
  EXPECT_EQ(arena.allocate(128), two);
}

// Breaks when a double free passes, or is taken for something else.
TEST(Arena, RefusesADoubleFree) {
  alignas(256) static char memory[512];
  Arena arena(memory, sizeof memory);
  float* const one = arena.allocate(64);
  arena.release(one);
  EXPECT_EQ(refused([&] { arena.release(one); }), Refusal::Reason::kDoubleFree);
  float other = 0;
  EXPECT_EQ(refused([&] { arena.release(&other); }), Refusal::Reason::kWrongPointer);
}

// ---- the chain on the host ----

struct Matrices {
  std::vector<float> x, weights, dy;
};

CallView view_of(const Matrices& m, int layers, int batch, int width) {
  const auto bytes = [](const std::vector<float>& v) { return std::as_bytes(std::span(v)); };
  return CallView({{"x", Type::kF32, bytes(m.x)},
                   {"weights", Type::kF32, bytes(m.weights)},
                   {"dy", Type::kF32, bytes(m.dy)}},
                  {{"layers", layers},
                   {"batch", batch},
                   {"width", width},
                   {"seed", 77},
                   {"threshold", 429496730},
                   {"scale", static_cast<double>(1 / 0.9F)}});
}

std::vector<double> outputs(const CallView& call, std::size_t which, std::size_t n) {
  std::vector<Expected> expected(n);
  chain_outputs()[which].reference(call, 0, n, expected.data());
  std::vector<double> values;
  for (const Expected& e : expected) values.push_back(e.value);
  return values;
}

Matrices some(int layers, int batch, int width) {
  Matrices m;
  unsigned state = 1;
  const auto next = [&] {
    return static_cast<float>((state = state * 1664525U + 1013904223U) >> 8) * 0x1p-24F - 0.5F;
  };
  for (int i = 0; i < batch * width; ++i) m.x.push_back(next());
  for (int i = 0; i < layers * width * width; ++i) m.weights.push_back(next());
  for (int i = 0; i < batch * width; ++i) m.dy.push_back(next());
  return m;
}

/// sum of dy * output, in double: its derivatives are the gradients.
double loss(const Matrices& m, int layers, int batch, int width) {
  std::vector<double> a(m.x.begin(), m.x.end());
  for (int layer = 0; layer < layers; ++layer) {
    std::vector<double> out(a.size());
    for (int i = 0; i < batch; ++i)
      for (int j = 0; j < width; ++j) {
        double sum = 0;
        for (int k = 0; k < width; ++k)
          sum += a[static_cast<std::size_t>(i * width + k)] *
                 m.weights[static_cast<std::size_t>((layer * width + k) * width + j)];
        const auto at = static_cast<std::uint64_t>(i * width + j);
        const bool kept = philox(77 + static_cast<std::uint64_t>(layer), at / 4).word[at % 4] >= 429496730;
        out[at] = sum > 0 && kept ? sum / 0.9 : 0;
      }
    a = out;
  }
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * m.dy[i];
  return sum;
}

// Breaks when the reference is no gradient of the chain: compared with differences of the loss.
TEST(ChainReference, IsTheGradient) {
  constexpr int kLayers = 3, kBatch = 4, kWidth = 8;
  const Matrices m = some(kLayers, kBatch, kWidth);
  const CallView call = view_of(m, kLayers, kBatch, kWidth);
  const auto dx = outputs(call, 0, m.x.size()), dw = outputs(call, 1, m.weights.size());
  double largest = 0;
  const auto compare = [&](std::vector<float> Matrices::*array, const std::vector<double>& gradient) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      constexpr float kStep = 0x1p-9F;
      Matrices up = m, down = m;
      (up.*array)[i] += kStep;
      (down.*array)[i] -= kStep;
      const double slope = (loss(up, kLayers, kBatch, kWidth) - loss(down, kLayers, kBatch, kWidth)) /
                           (static_cast<double>((up.*array)[i]) - static_cast<double>((down.*array)[i]));
      EXPECT_NEAR(slope, gradient[i], 0.02) << i;
      largest = std::max(largest, std::abs(gradient[i]));
    }
  };
  compare(&Matrices::x, dx);
  compare(&Matrices::weights, dw);
  EXPECT_GT(largest, 0.1);
}

// Breaks when recomputing by segments is counted wrong: 16 layers in segments of 4 compute 9 again.
TEST(ChainReference, CountsWhatIsComputedAgain) {
  EXPECT_EQ(computed_again(Settings(chain_settings(16, 64, 64), {})), 9);
  EXPECT_EQ(computed_again(Settings(chain_settings(64, 64, 64), {})), 49);
  EXPECT_EQ(computed_again(Settings(chain_settings(1, 64, 64), {})), 0);
}

// ---- overlap ----

// Breaks when the efficiency is not the hidden part of the shorter of the two.
TEST(Overlap, IsTheHiddenPartOfTheShorter) {
  EXPECT_DOUBLE_EQ((OverlapTimes{4, 2, 4}.efficiency()), 1);
  EXPECT_DOUBLE_EQ((OverlapTimes{4, 2, 6}.efficiency()), 0);
  EXPECT_DOUBLE_EQ((OverlapTimes{2, 4, 5}.efficiency()), 0.5);
  EXPECT_DOUBLE_EQ((OverlapTimes{4, 2, 3.9}.efficiency()), 1);
  EXPECT_LT((OverlapTimes{4, 2, 9}.efficiency()), 0);
}

// ---- part C ----

Part share_part() {
  for (const Lab& lab : all_labs())
    for (const Part& part : lab.parts)
      if (lab.id_of(part) == "06c") return part;
  return {};
}

std::vector<Tensor> drawn(const Part& part, std::size_t n, int kind, std::uint64_t seed) {
  std::vector<Tensor> tensors(n);
  Settings settings;
  settings.set("n", static_cast<double>(n));
  settings.set("kind", kind);
  part.program.arguments[0].fill(settings, seed, std::as_writable_bytes(std::span(tensors)));
  return tensors;
}

CallView view_of(const std::vector<Tensor>& tensors) {
  return CallView({{"tensors", Type::kU64, std::as_bytes(std::span(tensors))}}, {});
}

// Breaks when an instance is not cut from a full rectangle: then its tensors do not fill every step to the
// bound.
TEST(Share, InstancesFillARectangle) {
  const Part part = share_part();
  for (const std::size_t n : {1U, 2U, 32U, 128U})
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      const auto tensors = drawn(part, n, 0, seed);
      const double bound = part.qualities[0].bound(view_of(tensors)) * 1024 * 1024;
      double area = 0, all = 0;
      std::uint64_t steps = 0;
      for (const Tensor& t : tensors) {
        ASSERT_LE(t.first, t.last);
        ASSERT_EQ(t.bytes % 256, 0U);
        area += static_cast<double>(t.bytes) * static_cast<double>(t.last - t.first + 1);
        all += static_cast<double>(t.bytes);
        steps = std::max(steps, t.last + 1);
      }
      EXPECT_DOUBLE_EQ(area, bound * static_cast<double>(steps));
      if (n > 1) {
        EXPECT_GE(all, 2 * bound);  // or memory for each alone would pass
      }
    }
}

std::string complaint(const Part& part, const std::vector<Tensor>& tensors,
                      std::vector<std::uint64_t> offsets) {
  return part.program.outputs[0].whole(view_of(tensors), {}, std::as_bytes(std::span(offsets)), 1).complaint;
}

// Breaks when a plan with an overlap passes, or one without is refused.
TEST(Share, PlansAreChecked) {
  const Part part = share_part();
  const std::vector<Tensor> tensors = {{0, 3, 512}, {3, 5, 256}, {4, 9, 512}};
  EXPECT_EQ(complaint(part, tensors, {0, 512, 0}), "");
  EXPECT_NE(complaint(part, tensors, {0, 256, 0}).find("overlap"), std::string::npos);
  EXPECT_NE(complaint(part, tensors, {0, 513, 1024}).find("multiple of 256"), std::string::npos);
  EXPECT_NE(complaint(part, tensors, {0, 512, ~std::uint64_t{0}}).find("no offset"), std::string::npos);
}

}  // namespace
}  // namespace roofline::grader::memory_lab
