// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "docs/tests/generated.h"

// Pictures of lab 07: what lanes, banks and blocks do together. The numbers in them are computed here, and
// those that the page names are tested.
namespace roofline::docs {
namespace {

using grader::Svg;

constexpr double kWidth = 760, kLeft = 24;

// --- a sum by shuffles -------------------------------------------------------------------------------------

constexpr std::array<int, 8> kNumbers = {3, 1, 4, 1, 5, 9, 2, 6};

/// What the lanes hold at first, and after each step; a lane whose neighbour does not exist keeps its number.
std::vector<std::vector<int>> shuffled_down(std::vector<int> lanes) {
  std::vector<std::vector<int>> rows = {lanes};
  for (std::size_t distance = lanes.size() / 2; distance > 0; distance /= 2) {
    std::vector<int> next = lanes;
    for (std::size_t i = 0; i + distance < lanes.size(); ++i) next[i] += lanes[i + distance];
    rows.push_back(lanes = next);
  }
  return rows;
}

std::string shuffles_figure() {
  const auto rows = shuffled_down({kNumbers.begin(), kNumbers.end()});
  constexpr double kStep = 72, kBox = 44, kRow = 72, kFirst = 128, kTop = 64;
  Svg svg(kWidth, 352, "A sum by shuffles",
          "Eight lanes hold 3 1 4 1 5 9 2 6. After a step over 4 lanes the first four hold 8 10 6 7, after a "
          "step over 2 lanes the first two hold 14 17, after the last step lane 0 holds 31");
  svg.text({kLeft, 24}, "v += __shfl_down_sync(mask, v, distance), in eight lanes", "title");
  svg.text({kLeft, 42}, "blue: sums that still count; grey: what the other lanes hold, which nobody reads",
           "note");
  std::size_t count = kNumbers.size();
  for (std::size_t row = 0; row < rows.size(); ++row, count /= 2) {
    const double y = kTop + static_cast<double>(row) * kRow;
    svg.text({kLeft, y + 20}, row == 0 ? "at first" : "distance " + std::to_string(count), "label");
    for (std::size_t lane = 0; lane < kNumbers.size(); ++lane) {
      const double x = kFirst + static_cast<double>(lane) * kStep;
      const std::string number = std::to_string(rows[row][lane]);
      svg.box({x, y + 24}, kBox, 6, lane < count ? "kernel" : "call",
              "lane " + std::to_string(lane) + ": " + number);
      svg.text({x + kBox / 2, y + 18}, number, lane < count ? "label" : "tick", Svg::Anchor::kMiddle);
    }
    for (std::size_t lane = 0; row + 1 < rows.size() && lane < count; ++lane) {
      const std::size_t to = lane % (count / 2);
      svg.line({kFirst + static_cast<double>(lane) * kStep + kBox / 2, y + 32},
               {kFirst + static_cast<double>(to) * kStep + kBox / 2, y + kRow + 4}, "series");
    }
  }
  return svg.str();
}

// Breaks when the picture's description and its numbers disagree.
TEST(Shuffles, LaneZeroHasTheSum) {
  const auto rows = shuffled_down({kNumbers.begin(), kNumbers.end()});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(std::vector<int>(rows[1].begin(), rows[1].begin() + 4), (std::vector<int>{8, 10, 6, 7}));
  EXPECT_EQ(std::vector<int>(rows[2].begin(), rows[2].begin() + 2), (std::vector<int>{14, 17}));
  EXPECT_EQ(rows[3][0], std::accumulate(kNumbers.begin(), kNumbers.end(), 0));
  EXPECT_EQ(shuffled_down(std::vector<int>(32, 1)).size() - 1, 5U) << "steps of a warp";
}

// Break when the rules above change and the pictures do not.
TEST(Page, ShufflesFigureIsCurrent) {
  expect_current(kRoot / "labs/07-onchip/shuffles.svg", shuffles_figure());
}

}  // namespace
}  // namespace roofline::docs
