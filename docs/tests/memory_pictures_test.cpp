// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "docs/tests/generated.h"

// Pictures of lab 06: segments that are computed again, a timeline of swapping, plans of memory. Each follows
// the algorithm of the page step by step.
namespace roofline::docs::memory_pictures {
namespace {

using grader::compact;
using grader::Svg;

constexpr double kWidth = 760;
constexpr int kLayers = 16;

// --- A: segments -------------------------------------------------------------------------------------------

/// What is in memory after each layer that is computed, forward or backward.
struct Step {
  enum class Kind { kForward, kAgain, kBackward } kind;
  int layer;                 ///< from 1
  std::map<int, Kind> held;  ///< activation: how it was computed; 0 and -1 are the two gradients
};

/// Part A with segments of `segment` layers, as solutions/06-memory/recompute.cu does it.
std::vector<Step> recompute_steps(int segment) {
  using Kind = Step::Kind;
  std::vector<Step> steps;
  std::map<int, Kind> held;
  const int last = (kLayers - 1) / segment * segment;
  for (int k = 1; k <= kLayers; ++k) {
    held[k] = Kind::kForward;
    steps.push_back({Kind::kForward, k, held});
    if (k - 1 >= 1 && k - 1 <= last && (k - 1) % segment != 0) held.erase(k - 1);
  }
  held[0] = held[-1] = Kind::kBackward;
  for (int first = last; first >= 0; first -= segment) {
    for (int k = first + 1; first != last && k < first + segment; ++k) {
      held[k] = Kind::kAgain;
      steps.push_back({Kind::kAgain, k, held});
    }
    for (int k = std::min(first + segment, kLayers); k > first; --k) {
      steps.push_back({Kind::kBackward, k, held});
      held.erase(k);
    }
  }
  return steps;
}

std::size_t most_held(const std::vector<Step>& steps) {
  std::size_t most = 0;
  for (const Step& step : steps) most = std::max(most, step.held.size());
  return most;
}

int products(const std::vector<Step>& steps) {
  int all = 0;
  for (const Step& step : steps) all += step.kind == Step::Kind::kBackward ? 2 : 1;
  return all;
}

std::string segments_figure() {
  using Kind = Step::Kind;
  constexpr double kLeft = 96, kRight = 736, kTop = 84, kRow = 14;
  const std::vector<Step> steps = recompute_steps(4);
  const double column = (kRight - kLeft) / static_cast<double>(steps.size());
  Svg svg(
      kWidth, 400, "Recomputing by segments: what is in memory when",
      "16 layers in segments of 4. Forward, activations 4, 8 and 12 and those of the last segment stay. "
      "Backward, each earlier segment is computed again from a kept activation before its gradients. Never "
      "more than 9 activations are held at once; 9 layers are computed twice");
  svg.text({24, 24}, "16 layers in segments of 4: which activations are in memory", "title");
  svg.text({24, 42},
           "across: layers as they are computed; blue: from the forward pass; green: computed again; orange: "
           "gradients",
           "note");
  const auto style = [](Kind kind) {
    return kind == Kind::kForward ? "kernel" : kind == Kind::kAgain ? "copy" : "wait";
  };
  for (int k = 1; k <= kLayers + 2; ++k) {
    const double y = kTop + (k - 1) * kRow;
    svg.text({kLeft - 8, y + 11}, k <= kLayers ? "activation " + std::to_string(k) : "a gradient", "tick",
             Svg::Anchor::kEnd);
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double x = kLeft + static_cast<double>(i) * column;
    const char* name = steps[i].kind == Kind::kForward ? "forward"
                       : steps[i].kind == Kind::kAgain ? "forward again"
                                                       : "backward";
    for (const auto& [k, kind] : steps[i].held) {
      const int row = k >= 1 ? k - 1 : kLayers - k;
      svg.box({x, kTop + row * kRow + 1}, column - 1, kRow - 2, style(kind),
              std::string(name) + ", layer " + std::to_string(steps[i].layer) + ": " +
                  std::to_string(steps[i].held.size()) + " held");
    }
    svg.text({x + column / 2 - 0.5, kTop + 18 * kRow + 14}, std::to_string(steps[i].held.size()), "tick",
             Svg::Anchor::kMiddle);
  }
  svg.text({kLeft - 8, kTop + 18 * kRow + 14}, "held", "tick", Svg::Anchor::kEnd);
  const double backward = kLeft + kLayers * column;
  svg.line({backward - 0.5, kTop - 16}, {backward - 0.5, kTop + 18 * kRow}, "knee");
  svg.text({backward - 6, kTop - 6}, "forward", "note", Svg::Anchor::kEnd);
  svg.text({backward + 6, kTop - 6}, "backward", "note");
  svg.text({24, kTop + 18 * kRow + 40},
           "at most " + std::to_string(most_held(steps)) + " held instead of " + std::to_string(kLayers + 2) +
               "; " + std::to_string(products(steps)) + " products instead of " + std::to_string(3 * kLayers),
           "label");
  return svg.str();
}

// Breaks when the picture's algorithm is not that of the page's table: 9 held, 57 products.
TEST(Segments, HoldAndComputeWhatTheTableSays) {
  EXPECT_EQ(most_held(recompute_steps(4)), 9U);
  EXPECT_EQ(products(recompute_steps(4)), 57);
  EXPECT_EQ(most_held(recompute_steps(16)), 18U);  // everything kept
  EXPECT_EQ(products(recompute_steps(16)), 48);
}

// --- B: timeline -------------------------------------------------------------------------------------------

struct Span {
  double begin = 0, end = 0;
};

/// Part B as solutions/06-memory/swap.cu orders it; a product takes 1, a copy of an activation `copy`.
struct Swapping {
  std::array<Span, kLayers + 1> forward{}, backward{}, out{}, in{};
  double kernels = 3 * kLayers, copies = 0, together = 0;
  double efficiency() const { return (kernels + copies - together) / std::min(kernels, copies); }
};

Swapping swapping(double copy) {
  constexpr int kOnDevice = 6, kStay = 4, kSwapped = kLayers - kStay;
  Swapping s;
  s.copies = 2 * kSwapped * copy;
  double now = 0, link = 0;
  for (std::size_t k = 1; k <= kLayers; ++k) {
    if (k > kOnDevice) now = std::max(now, s.out[k - kOnDevice].end);  // its memory is used again
    s.forward[k] = {now, now + 1};
    now += 1;
    if (k > kSwapped) continue;
    s.out[k].begin = std::max(link, now);
    link = s.out[k].end = s.out[k].begin + copy;
  }
  for (std::size_t k = kLayers - kOnDevice + 1; k <= kSwapped; ++k) now = std::max(now, s.out[k].end);
  link = 0;
  for (std::size_t k = kLayers; k >= 1; --k) {
    // The layer reads its output k and its input k - 1.
    if (k - 1 >= 1 && k - 1 <= kSwapped) now = std::max(now, s.in[k - 1].end);
    s.backward[k] = {now, now + 2};
    now += 2;
    if (k <= kStay) continue;
    s.in[k - kStay].begin = std::max(link, now);
    link = s.in[k - kStay].end = s.in[k - kStay].begin + copy;
  }
  s.together = now;
  return s;
}

constexpr double kShort = 0.9, kLong = 1.6;  // of a product

void swap_panel(Svg& svg, double top, double copy, const std::string& name) {
  constexpr double kLeft = 96, kUnit = 10.6, kRow = 24;
  const Swapping s = swapping(copy);
  svg.text({24, top}, name, "label");
  const char* rows[] = {"kernels", "to the host", "back"};
  for (int r = 0; r < 3; ++r) svg.text({kLeft - 8, top + 26 + r * kRow}, rows[r], "note", Svg::Anchor::kEnd);
  const auto draw = [&](int row, const Span& span, const char* style, const std::string& what,
                        std::size_t k) {
    if (span.end <= span.begin) return;
    const double x = kLeft + span.begin * kUnit, width = (span.end - span.begin) * kUnit;
    svg.box({x, top + 13 + row * kRow}, width - 1, kRow - 6, style, what + " " + std::to_string(k));
  };
  for (std::size_t k = 1; k <= kLayers; ++k) {
    draw(0, s.forward[k], "kernel", "layer", k);
    draw(0, s.backward[k], "call", "backward, layer", k);
    draw(1, s.out[k], "wait", "activation", k);
    draw(2, s.in[k], "copy", "activation", k);
  }
  svg.text({kLeft, top + 102},
           "kernels alone " + compact(s.kernels) + ", copies alone " + compact(s.copies) + ", together " +
               compact(s.together) + ": " + compact(100 * s.efficiency()) + " % hidden",
           "label");
}

std::string swap_figure() {
  Svg svg(
      kWidth, 340, "Swapping on a timeline",
      "Kernels, copies to the host and copies back of 16 layers, six activations on the device. Where a copy "
      "takes less time than a product, kernels never wait: all copies are hidden. Where it takes longer, the "
      "forward pass waits for memory to be free, and part of the copies shows");
  svg.text({24, 24}, "16 layers, 12 activations swapped", "title");
  svg.text({24, 42}, "a forward layer (blue) is one product, a backward layer (grey) two; times in products",
           "note");
  swap_panel(svg, 76, kShort, "a copy takes " + compact(kShort) + " of a product: right of the crossing");
  swap_panel(svg, 212, kLong, "a copy takes " + compact(kLong) + " products: left of the crossing");
  return svg.str();
}

// Breaks when the picture's schedule breaks one of the page's four orders, or hides what cannot be hidden.
TEST(Swapping, KeepsTheFourOrders) {
  for (const double copy : {kShort, kLong, 3.0}) {
    const Swapping s = swapping(copy);
    for (std::size_t k = 1; k <= 12; ++k) {
      EXPECT_GE(s.out[k].begin, s.forward[k].end) << "1: a layer before the copy of its output";
      const double reuse = k + 6 <= kLayers ? s.forward[k + 6].begin : s.backward[kLayers].begin;
      EXPECT_GE(reuse, s.out[k].end) << "2: the copy before its memory is used again";
      EXPECT_GE(s.in[k].begin, s.backward[k + 4].end) << "3: a layer before its memory receives";
      EXPECT_GE(s.backward[k + 1].begin, s.in[k].end) << "4: the copy back before the layer that reads it";
    }
  }
  EXPECT_DOUBLE_EQ(swapping(kShort).efficiency(), 1);
  EXPECT_LT(swapping(kLong).efficiency(), 0.9);
}

// --- C: packing --------------------------------------------------------------------------------------------

struct Tensor {
  int first, last, size;
};

constexpr int kSteps = 10;
/// Cut from a rectangle of 10 steps and 8 units, so that a plan without holes exists.
constexpr std::array<Tensor, 9> kTensors = {
    {{0, 2, 4}, {0, 3, 1}, {0, 5, 2}, {0, 9, 1}, {3, 7, 4}, {4, 8, 1}, {6, 7, 2}, {8, 9, 6}, {9, 9, 1}}};

struct Plan {
  std::array<int, kTensors.size()> offset{};
  int peak = 0;
};

bool together(const Tensor& a, const Tensor& b) { return a.first <= b.last && b.first <= a.last; }

/// Each tensor, in this order, at the lowest offset where it fits.
Plan first_fit(const std::vector<std::size_t>& order) {
  Plan plan;
  std::vector<std::size_t> placed;
  for (const std::size_t i : order) {
    std::sort(placed.begin(), placed.end(),
              [&](std::size_t a, std::size_t b) { return plan.offset[a] < plan.offset[b]; });
    int at = 0;
    for (const std::size_t other : placed) {
      if (!together(kTensors[i], kTensors[other])) continue;
      if (plan.offset[other] >= at + kTensors[i].size) break;
      at = std::max(at, plan.offset[other] + kTensors[other].size);
    }
    plan.offset[i] = at;
    plan.peak = std::max(plan.peak, at + kTensors[i].size);
    placed.push_back(i);
  }
  return plan;
}

std::vector<std::size_t> given_order() {
  std::vector<std::size_t> order(kTensors.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<std::size_t> longest_first() {
  std::vector<std::size_t> order = given_order();
  std::stable_sort(order.begin(), order.end(), [](std::size_t a, std::size_t b) {
    return kTensors[a].last - kTensors[a].first > kTensors[b].last - kTensors[b].first;
  });
  return order;
}

int lower_bound() {
  int most = 0;
  for (int step = 0; step < kSteps; ++step) {
    int alive = 0;
    for (const Tensor& t : kTensors) alive += t.first <= step && step <= t.last ? t.size : 0;
    most = std::max(most, alive);
  }
  return most;
}

void plan_panel(Svg& svg, double left, const Plan& plan, const std::string& name) {
  constexpr double kBottom = 320, kStep = 32, kUnit = 16;
  svg.text({left, 70}, name, "label");
  for (std::size_t i = 0; i < kTensors.size(); ++i) {
    const Tensor& t = kTensors[i];
    const double x = left + t.first * kStep, width = (t.last - t.first + 1) * kStep;
    const double top = kBottom - (plan.offset[i] + t.size) * kUnit;
    const char* styles[] = {"kernel", "copy", "call"};
    svg.box({x + 0.5, top + 0.5}, width - 1, t.size * kUnit - 1, styles[i % 3],
            "tensor " + std::to_string(i) + ": steps " + std::to_string(t.first) + " to " +
                std::to_string(t.last) + ", " + std::to_string(t.size) + " units");
    svg.text({x + width / 2, top + t.size * kUnit / 2.0 + 4}, std::to_string(i), "label",
             Svg::Anchor::kMiddle);
  }
  const double width = kSteps * kStep, bound = kBottom - lower_bound() * kUnit;
  svg.line({left, kBottom}, {left + width, kBottom}, "axis");
  svg.line({left, kBottom}, {left, 84}, "axis");
  svg.line({left, bound}, {left + width, bound}, "knee");
  for (int step = 0; step < kSteps; ++step)
    svg.text({left + (step + 0.5) * kStep, kBottom + 16}, std::to_string(step), "tick", Svg::Anchor::kMiddle);
  svg.text({left + width, kBottom + 34}, "step", "note", Svg::Anchor::kEnd);
  svg.text({left, kBottom + 34},
           "peak " + std::to_string(plan.peak) + ", lower bound " + std::to_string(lower_bound()), "label");
}

std::string packing_figure() {
  Svg svg(
      kWidth, 370, "Two plans for the same nine tensors",
      "Nine tensors over ten steps, placed by first fit. In the order given the peak is 14 units, with the "
      "longest-lived first 8, which is the most that is alive in one step");
  svg.text({24, 24}, "First fit of nine tensors, in two orders", "title");
  svg.text({24, 42}, "across: steps; up: memory; a box: a tensor while it is alive; dashed: the lower bound",
           "note");
  plan_panel(svg, 36, first_fit(given_order()), "in the order given");
  plan_panel(svg, 408, first_fit(longest_first()), "the longest-lived first");
  return svg.str();
}

// Breaks when two tensors that are alive at once share memory in the picture, or a peak is not as described.
TEST(Packing, PlansAreValidAndAsDescribed) {
  for (const auto& order : {given_order(), longest_first()}) {
    const Plan plan = first_fit(order);
    for (std::size_t a = 0; a < kTensors.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        EXPECT_TRUE(!together(kTensors[a], kTensors[b]) ||
                    plan.offset[a] + kTensors[a].size <= plan.offset[b] ||
                    plan.offset[b] + kTensors[b].size <= plan.offset[a])
            << a << " and " << b;
  }
  EXPECT_EQ(first_fit(given_order()).peak, 14);
  EXPECT_EQ(first_fit(longest_first()).peak, 8);
  EXPECT_EQ(lower_bound(), 8);
}

// Break when the algorithms above change and the pictures do not.
TEST(Page, SegmentsFigureIsCurrent) {
  expect_current(kRoot / "labs/06-memory/segments.svg", segments_figure());
}
TEST(Page, SwapFigureIsCurrent) { expect_current(kRoot / "labs/06-memory/swap.svg", swap_figure()); }
TEST(Page, PackingFigureIsCurrent) { expect_current(kRoot / "labs/06-memory/packing.svg", packing_figure()); }

}  // namespace
}  // namespace roofline::docs::memory_pictures
