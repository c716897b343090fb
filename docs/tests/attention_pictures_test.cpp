// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "docs/tests/generated.h"

// Pictures of lab 11: the tiles that blocks walk over, and who holds what of a tile in registers. What they
// show is computed here by the rules of the page.
namespace roofline::docs::attention_pictures {
namespace {

using grader::Point;
using grader::Svg;

constexpr double kWidth = 760;

// --- tiles of scores ---------------------------------------------------------------------------------------

constexpr int kTiles = 8;  ///< n = 512: 4 blocks of 128 rows, 8 steps of 64 keys

/// Steps of the block with rows 128 * block and on, of which each row i sees the keys 0 to i.
int causal_steps(int block) { return std::min(kTiles, 2 * (block + 1)); }

/// The diagonal goes through these: some of their scores are masked, others are not.
bool needs_mask(int block, int step) { return step >= 2 * block && step < causal_steps(block); }

void draw_scores(Svg& svg, Point corner, bool causal) {
  constexpr double kAcross = 34, kDown = 52;
  constexpr int kShown = 2, kNow = 3;  // a block, and where it is
  for (int block = 0; block < kTiles / 2; ++block) {
    for (int step = 0; step < kTiles; ++step) {
      const bool computed = !causal || step < causal_steps(block);
      const char* kind = !computed                           ? "lane empty"
                         : block == kShown && step == kNow   ? "kernel"
                         : causal && needs_mask(block, step) ? "waste"
                                                             : "lane owner0";
      svg.box({corner.x + kAcross * step, corner.y + kDown * block}, kAcross - 2, kDown - 2, kind,
              "rows from " + std::to_string(128 * block) + ", keys from " + std::to_string(64 * step) +
                  (computed ? "" : ": never computed"));
    }
    const int steps = causal ? causal_steps(block) : kTiles;
    svg.text({corner.x - 8, corner.y + kDown * (block + 0.6)}, std::to_string(128 * block), "tick",
             Svg::Anchor::kEnd);
    svg.text({corner.x + kAcross * kTiles + 8, corner.y + kDown * (block + 0.6)},
             std::to_string(steps) + " steps", "tick");
  }
  for (int step = 0; step < kTiles; step += 2)
    svg.text({corner.x + kAcross * step, corner.y - 8}, std::to_string(64 * step), "tick");
  svg.text({corner.x + kAcross * kTiles, corner.y - 8}, "keys", "tick", Svg::Anchor::kEnd);
}

std::string walk_figure() {
  Svg svg(
      kWidth, 372, "Scores in tiles of 128 rows and 64 keys",
      "512 rows and 512 keys. At the left, without a mask, each of four blocks walks over all eight steps "
      "of 64 keys. At the right, causal, the blocks take two, four, six and eight steps; the last two of "
      "each cross the diagonal and need the mask, and what is beyond is never computed");
  svg.text({24, 24}, "No thread ever has all scores: a block has one tile at a time", "title");
  svg.text({24, 42}, "n = 512. Each row of tiles is a block of 128 queries, which walks to the right",
           "note");
  svg.text({60, 76}, "every query sees every key", "label");
  draw_scores(svg, {60, 110}, false);
  svg.text({425, 76}, "query i sees the keys 0 to i", "label");
  draw_scores(svg, {425, 110}, true);
  constexpr double kLegend = 340;
  svg.box({60, kLegend}, 14, 14, "kernel");
  svg.text({80, kLegend + 11}, "now in registers", "note");
  svg.box({200, kLegend}, 14, 14, "waste");
  svg.text({220, kLegend + 11}, "the diagonal goes through: masked", "note");
  svg.box({425, kLegend}, 14, 14, "lane empty");
  svg.text({445, kLegend + 11}, "never computed", "note");
  return svg.str();
}

// Breaks when blocks of a causal kernel do not take the 72 of 128 steps that the page and the prediction say.
TEST(Causal, SeventyTwoOfOneHundredTwentyEightStepsForThousandRows) {
  int steps = 0;
  for (int block = 0; block < 8; ++block)
    for (int step = 0; step < 16; ++step) steps += 64 * step <= 128 * block + 127;
  EXPECT_EQ(steps, 72);
}

// --- a tile in registers -----------------------------------------------------------------------------------

constexpr int kTile = 16;

/// Of a tile of sums, as labs/11-attention/tiles.h has it: where element i of a lane is.
struct Place {
  int row, column;
  bool operator==(const Place&) const = default;
};
Place of_sum(int lane, int i) { return {lane / 4 + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * (lane % 4) + i % 2}; }

/// Of a left operand, as the PTX manual has m16n8k16: where half h (0 or 1) of word w is.
Place of_left(int lane, int w, int h) {
  const int row = lane / 4, column = 2 * (lane % 4) + h;
  return {w % 2 == 0 ? row : row + 8, w < 2 ? column : column + 8};
}

void draw_tile(Svg& svg, Point corner, bool as_sums) {
  constexpr double kCell = 19;
  constexpr int kShown = 5;
  constexpr std::array<const char*, 2> kShades = {"lane empty", "lane owner3"};
  for (int row = 0; row < kTile; ++row)
    for (int column = 0; column < kTile; ++column) {
      const int lane = row % 8 * 4 + column % 8 / 2;
      std::string name;
      for (int i = 0; i < 8; ++i)
        if (of_sum(kShown, i) == Place{row, column})
          name = as_sums ? std::to_string(i) : i % 2 == 0 ? "word " + std::to_string(i / 2) : " ";
      const double x = corner.x + kCell * column, y = corner.y + kCell * row;
      svg.box({x, y}, kCell - 1, kCell - 1,
              name.empty() ? kShades[static_cast<std::size_t>((row + column / 2) % 2)] : "kernel",
              "lane " + std::to_string(lane));
      if (!name.empty())
        svg.text({as_sums ? x + kCell / 2 : x + kCell, row < 8 ? y - 3 : y + kCell + 9}, name, "label",
                 Svg::Anchor::kMiddle);
    }
  svg.text({corner.x - 8, corner.y + kCell * 1.7}, "row 1", "tick", Svg::Anchor::kEnd);
  svg.text({corner.x - 8, corner.y + kCell * 9.7}, "row 9", "tick", Svg::Anchor::kEnd);
}

std::string registers_figure() {
  Svg svg(
      kWidth, 420, "A tile of 16 x 16 in the registers of a warp",
      "The elements that lane 5 holds: in rows 1 and 9 columns 2 and 3, and 10 and 11. At the left as sums, "
      "elements 0 to 7; at the right as a left operand, words 0 to 3 of two halves. The places are the "
      "same: word w is made of elements 2 w and 2 w + 1");
  svg.text({24, 24}, "What lane 5 holds of a tile, as sums and as a left operand", "title");
  svg.text({24, 42},
           "shades: pairs of columns that belong to one lane; the four lanes of a row have all of it",
           "note");
  svg.text({70, 72}, "sums: eight floats", "label");
  draw_tile(svg, {70, 90}, true);
  svg.text({430, 72}, "left operand: four words of two halves", "label");
  draw_tile(svg, {430, 90}, false);
  return svg.str();
}

// Breaks when sums in pairs do not have the places of a left operand, on which the lab is built.
TEST(Registers, SumsInPairsAreALeftOperand) {
  for (int lane = 0; lane < 32; ++lane)
    for (int w = 0; w < 4; ++w)
      for (int h = 0; h < 2; ++h) EXPECT_EQ(of_sum(lane, 2 * w + h), of_left(lane, w, h));
}

// Break when the rules above change and the pictures do not.
TEST(Page, WalkFigureIsCurrent) { expect_current(kRoot / "labs/11-attention/walk.svg", walk_figure()); }
TEST(Page, RegistersFigureIsCurrent) {
  expect_current(kRoot / "labs/11-attention/registers.svg", registers_figure());
}

}  // namespace
}  // namespace roofline::docs::attention_pictures
