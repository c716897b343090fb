// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "docs/tests/generated.h"

// Pictures of lab 08: a row in the registers of a warp, and the running maximum and sum. What they show is
// computed here by the rules of the page.
namespace roofline::docs::row_pictures {
namespace {

using grader::compact;
using grader::Point;
using grader::Svg;

constexpr double kWidth = 760;

// --- a row in a warp ---------------------------------------------------------------------------------------

constexpr int kLanes = 32, kColumns = 256;

/// How many elements each lane's value covers after each exchange, the first entry being before any.
std::vector<std::array<int, kLanes>> exchanges() {
  std::array<int, kLanes> covers{};
  covers.fill(kColumns / kLanes);
  std::vector<std::array<int, kLanes>> steps = {covers};
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    std::array<int, kLanes> next{};
    for (int lane = 0; lane < kLanes; ++lane)
      next[static_cast<std::size_t>(lane)] =
          covers[static_cast<std::size_t>(lane)] + covers[static_cast<std::size_t>(lane ^ distance)];
    covers = next;
    steps.push_back(covers);
  }
  return steps;
}

std::string warp_figure() {
  constexpr double kLeft = 24, kCell = 18, kTop = 72, kStep = 56;
  const auto steps = exchanges();
  Svg svg(
      kWidth, 420, "A row of 256 halves in the registers of a warp",
      "Each of 32 lanes holds eight elements of the row and combines them by itself. Then five exchanges: "
      "lanes whose numbers differ by 16, by 8, 4, 2 and 1 give each other what they have. Each doubles the "
      "elements that a lane's value covers, and after the fifth every lane has the result of all 256");
  svg.text({24, 24}, "256 halves in a warp: eight a lane, then five exchanges", "title");
  svg.text({24, 42}, "a box is what a lane has; lines: who gives it to whom; right: elements that it covers",
           "note");
  const auto middle = [&](int lane, std::size_t step, double edge) {
    return Point{kLeft + lane * kCell + kCell / 2, kTop + static_cast<double>(step) * kStep + edge};
  };
  int distance = kLanes / 2;
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int covers = steps[step][static_cast<std::size_t>(lane)];
      if (step + 1 < steps.size())
        for (const int to : {lane, lane ^ distance})
          svg.line(middle(lane, step, 16), middle(to, step + 1, -2), to == lane ? "grid" : "series");
      svg.box({kLeft + lane * kCell + 2, kTop + static_cast<double>(step) * kStep}, kCell - 4, 14,
              covers == kColumns ? "kernel" : "copy",
              "lane " + std::to_string(lane) + ": " + std::to_string(covers) + " elements");
    }
    const double y = kTop + static_cast<double>(step) * kStep;
    svg.text({kLeft + kLanes * kCell + 12, y + 12},
             std::to_string(steps[step][0]) + (step + 1 == steps.size() ? ": the whole row" : " elements"),
             "label");
    if (step + 1 < steps.size()) {
      svg.text({kLeft + kLanes * kCell + 12, y + 40}, "lane xor " + std::to_string(distance), "note");
      distance /= 2;
    }
  }
  return svg.str();
}

// Breaks when five exchanges do not bring the whole row to every lane, as the page of lab 08 says.
TEST(Exchanges, FiveReachAllLanes) {
  const auto steps = exchanges();
  EXPECT_EQ(steps.size(), 6U);
  for (const int covers : steps.back()) EXPECT_EQ(covers, kColumns);
  EXPECT_LT(steps[4][0], kColumns);
}

// --- the running maximum and sum ---------------------------------------------------------------------------

constexpr std::array<double, 7> kRow = {3, 5, 4, 1, 6, 2, 5.5};

struct Running {
  double most, sum, corrected;  ///< corrected: the old sum after the new maximum is known
};

std::vector<Running> online() {
  std::vector<Running> steps;
  double most = 0, sum = 0;
  for (const double x : kRow) {
    const double larger = steps.empty() ? x : std::max(most, x);
    const double corrected = steps.empty() ? 0 : sum * std::exp(most - larger);
    most = larger;
    sum = corrected + std::exp(x - most);
    steps.push_back({most, sum, corrected});
  }
  return steps;
}

std::string online_figure() {
  constexpr double kLeft = 120, kCell = 84, kZero = 220, kUnit = 24, kSumZero = 388, kSumUnit = 52;
  const auto steps = online();
  Svg svg(
      kWidth, 430, "Online softmax: the running maximum and the running sum",
      "Seven elements, 3, 5, 4, 1, 6, 2 and 5.5, one after the other. The maximum so far rises at the "
      "second and at the fifth. There the sum so far is multiplied by the exponential of the old minus the "
      "new maximum, so that it shrinks, before the new element adds 1. At the end it is the sum relative "
      "to the maximum of all");
  svg.text({24, 24}, "One pass: the maximum so far, and the sum relative to it", "title");
  svg.text({24, 42},
           "above: elements and the maximum so far (line); below: what is left of the old sum, and what the "
           "element adds (blue)",
           "note");
  svg.line({kLeft, kZero}, {kLeft + kCell * kRow.size(), kZero}, "axis");
  svg.line({kLeft, kSumZero}, {kLeft + kCell * kRow.size(), kSumZero}, "axis");
  svg.text({kLeft - 12, kZero - 60}, "elements", "label", Svg::Anchor::kEnd);
  svg.text({kLeft - 12, kSumZero - 40}, "sum", "label", Svg::Anchor::kEnd);
  std::vector<Point> line;
  for (std::size_t i = 0; i < kRow.size(); ++i) {
    const double left = kLeft + kCell * static_cast<double>(i), x = left + 18, width = kCell - 36;
    const Running& now = steps[i];
    svg.box({x, kZero - kRow[i] * kUnit}, width, kRow[i] * kUnit, "kernel", compact(kRow[i]));
    svg.text({x + width / 2, kZero + 16}, compact(kRow[i]), "tick", Svg::Anchor::kMiddle);
    line.push_back({left, kZero - now.most * kUnit});
    line.push_back({left + kCell, kZero - now.most * kUnit});
    const double old = now.corrected * kSumUnit, all = now.sum * kSumUnit;
    if (old > 0)
      svg.box({x, kSumZero - old}, width, old, "wait", "of the old sum: " + compact(now.corrected));
    svg.box({x, kSumZero - all}, width, all - old, "kernel", "added: " + compact(now.sum - now.corrected));
    svg.text({x + width / 2, kSumZero - all - 6}, compact(now.sum, 4), "label", Svg::Anchor::kMiddle);
    if (i > 0 && now.most > steps[i - 1].most)
      svg.text({x + width / 2, kSumZero + 16},
               "old sum · exp(" + compact(steps[i - 1].most) + " - " + compact(now.most) + ")", "note",
               Svg::Anchor::kMiddle);
  }
  svg.polyline(line, "c2");
  return svg.str();
}

// Breaks when one pass gives another sum than two, or when the page's numbers for 3, 5, 4 are not these.
TEST(Online, OnePassIsTwo) {
  const auto steps = online();
  double direct = 0;
  for (const double x : kRow) direct += std::exp(x - *std::max_element(kRow.begin(), kRow.end()));
  EXPECT_NEAR(steps.back().sum, direct, 1e-12);
  EXPECT_EQ(compact(steps[1].sum, 4), "1.135");
  EXPECT_EQ(compact(steps[2].sum, 4), "1.503");
}

// Break when the rules above change and the pictures do not.
TEST(Page, WarpFigureIsCurrent) { expect_current(kRoot / "labs/08-rows/warp.svg", warp_figure()); }
TEST(Page, OnlineFigureIsCurrent) { expect_current(kRoot / "labs/08-rows/online.svg", online_figure()); }

}  // namespace
}  // namespace roofline::docs::row_pictures
