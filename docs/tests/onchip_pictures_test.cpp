// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "docs/tests/generated.h"

// Pictures of lab 07: what lanes, banks and blocks do together. The numbers in them are computed here, and
// those that the page names are tested.
namespace roofline::docs::onchip_pictures {
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
  svg.text({kLeft, 42}, "blue: sums that still count; grey: what the other lanes hold, which are not used",
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

// --- a running sum by shuffles -----------------------------------------------------------------------------

/// What the lanes hold at first, and after each step upwards.
std::vector<std::vector<int>> shuffled_up(std::vector<int> lanes) {
  std::vector<std::vector<int>> rows = {lanes};
  for (std::size_t distance = 1; distance < lanes.size(); distance *= 2) {
    std::vector<int> next = lanes;
    for (std::size_t i = distance; i < lanes.size(); ++i) next[i] += lanes[i - distance];
    rows.push_back(lanes = next);
  }
  return rows;
}

std::string running_figure() {
  const auto rows = shuffled_up({kNumbers.begin(), kNumbers.end()});
  constexpr double kStep = 72, kBox = 44, kRow = 72, kFirst = 128, kTop = 64;
  Svg svg(kWidth, 336, "A running sum by shuffles",
          "Eight lanes hold 3 1 4 1 5 9 2 6. After a step over one lane they hold 3 4 5 5 6 14 11 8, after a "
          "step over "
          "2 lanes 3 4 8 9 11 19 17 22, after a step over 4 lanes 3 4 8 9 14 23 25 31, the sums of all up to "
          "each");
  svg.text({kLeft, 24},
           "below = __shfl_up_sync(mask, v, distance), in eight lanes; added where lane >= distance",
           "title");
  svg.text({kLeft, 42}, "blue: lanes whose sum is complete; grey: lanes that still lack some below", "note");
  std::size_t reach = 1;
  for (std::size_t row = 0; row < rows.size(); ++row, reach *= 2) {
    const double y = kTop + static_cast<double>(row) * kRow;
    svg.text({kLeft, y + 20}, row == 0 ? "at first" : "distance " + std::to_string(reach / 2), "label");
    for (std::size_t lane = 0; lane < kNumbers.size(); ++lane) {
      const double x = kFirst + static_cast<double>(lane) * kStep;
      const std::string number = std::to_string(rows[row][lane]);
      svg.box({x, y + 24}, kBox, 6, lane < reach ? "kernel" : "call",
              "lane " + std::to_string(lane) + ": " + number);
      svg.text({x + kBox / 2, y + 18}, number, "label", Svg::Anchor::kMiddle);
      if (row + 1 == rows.size()) continue;
      svg.line({x + kBox / 2, y + 32}, {x + kBox / 2, y + kRow + 4}, "grid");
      if (lane + reach < kNumbers.size())
        svg.line({x + kBox / 2, y + 32}, {x + static_cast<double>(reach) * kStep + kBox / 2, y + kRow + 4},
                 "series");
    }
  }
  return svg.str();
}

// Breaks when the picture's description and its numbers disagree, or the page's prediction about lane 5.
TEST(Running, EachLaneHasTheSumUpToItself) {
  const auto rows = shuffled_up({kNumbers.begin(), kNumbers.end()});
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[1], (std::vector<int>{3, 4, 5, 5, 6, 14, 11, 8}));
  EXPECT_EQ(rows[2], (std::vector<int>{3, 4, 8, 9, 11, 19, 17, 22}));
  std::vector<int> sums(kNumbers.size());
  std::partial_sum(kNumbers.begin(), kNumbers.end(), sums.begin());
  EXPECT_EQ(rows[3], sums);
  EXPECT_EQ(shuffled_up(std::vector<int>(32, 1))[3][5], 6);
}

// --- counters in shared memory -----------------------------------------------------------------------------

constexpr std::size_t kLanes = 8, kBanks = 8;  // of the picture; a warp has 32 of each

/// The bank of the counter that each lane adds to: one copy for all, or copy k of lane k in bank k.
std::vector<std::size_t> banks_of(const std::array<int, kLanes>& bytes, bool copy_a_lane) {
  std::vector<std::size_t> banks;
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    banks.push_back(copy_a_lane ? lane : static_cast<std::size_t>(bytes[lane]) % kBanks);
  return banks;
}

std::size_t turns(const std::vector<std::size_t>& banks) {
  std::array<std::size_t, kBanks> lanes{};
  for (const std::size_t bank : banks) ++lanes[bank];
  return *std::ranges::max_element(lanes);
}

constexpr std::array<int, kLanes> kBytes = {3, 1, 3, 6, 3, 1, 4, 3}, kAllThree = {3, 3, 3, 3, 3, 3, 3, 3};

/// One request: lanes above, banks below, a line from each lane to its counter.
void draw_request(Svg& svg, double left, double top, const std::array<int, kLanes>& bytes, bool copy_a_lane) {
  constexpr double kStep = 40, kBox = 32, kDown = 84;
  const auto banks = banks_of(bytes, copy_a_lane);
  std::array<int, kBanks> lanes{};
  for (const std::size_t bank : banks) ++lanes[bank];
  for (std::size_t i = 0; i < kLanes; ++i) {
    const double x = left + static_cast<double>(i) * kStep;
    svg.text({x + kBox / 2, top}, std::to_string(bytes[i]), "label", Svg::Anchor::kMiddle);
    svg.box({x, top + 6}, kBox, 6, "call",
            "lane " + std::to_string(i) + ": byte " + std::to_string(bytes[i]));
    svg.line({x + kBox / 2, top + 14},
             {left + static_cast<double>(banks[i]) * kStep + kBox / 2, top + kDown - 2}, "series");
    svg.box({x, top + kDown}, kBox, 6, lanes[i] > 1 ? "wait" : "kernel",
            "bank " + std::to_string(i) + ": " + std::to_string(lanes[i]) + " lanes");
    if (lanes[i] > 0)
      svg.text({x + kBox / 2, top + kDown + 20}, std::to_string(lanes[i]), "label", Svg::Anchor::kMiddle);
  }
  const std::size_t n = turns(banks);
  svg.text({left, top + kDown + 40}, std::to_string(n) + (n == 1 ? " turn" : " turns"), "label");
}

std::string bins_figure() {
  Svg svg(kWidth, 400, "Sums in shared memory",
          "Eight lanes add to sums in eight banks. In one copy the keys 3 1 3 6 3 1 4 3 take 4 turns, "
          "because "
          "four lanes want the sum of 3, and eight equal keys take 8. With a copy for each lane both "
          "take 1");
  svg.text({kLeft, 24}, "lanes with a key each (above) add to sums in banks (below)", "title");
  svg.text({kLeft, 42},
           "numbers below: lanes that meet in the bank; they take turns. Eight of each; a warp has 32",
           "note");
  constexpr double kRight = 408;
  svg.text({kLeft, 74}, "one copy: the key says which bank", "label");
  svg.text({kRight, 74}, "a copy for each lane: the lane says which bank", "label");
  draw_request(svg, kLeft, 104, kBytes, false);
  draw_request(svg, kRight, 104, kBytes, true);
  draw_request(svg, kLeft, 256, kAllThree, false);
  draw_request(svg, kRight, 256, kAllThree, true);
  return svg.str();
}

// Breaks when the picture's description and its numbers disagree.
TEST(Bins, ACopyForEachLaneTakesOneTurn) {
  EXPECT_EQ(turns(banks_of(kBytes, false)), 4U);
  EXPECT_EQ(turns(banks_of(kAllThree, false)), kLanes);
  EXPECT_EQ(turns(banks_of(kBytes, true)), 1U);
  EXPECT_EQ(turns(banks_of(kAllThree, true)), 1U);
}

// Break when the rules above change and the pictures do not.
TEST(Page, ShufflesFigureIsCurrent) {
  expect_current(kRoot / "labs/07-onchip/shuffles.svg", shuffles_figure());
}

TEST(Page, RunningFigureIsCurrent) { expect_current(kRoot / "labs/07-onchip/running.svg", running_figure()); }

TEST(Page, BinsFigureIsCurrent) { expect_current(kRoot / "labs/07-onchip/bins.svg", bins_figure()); }

}  // namespace
}  // namespace roofline::docs::onchip_pictures
