// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "docs/tests/generated.h"

// Pictures of what a warp, a block and its copies do (labs 01 and 04). What they show is computed here by the
// rules of the pages, and the numbers that the pages name are tested.
namespace roofline::docs::kernel_pictures {
namespace {

using grader::compact;
using grader::Point;
using grader::Svg;

constexpr double kWidth = 760;

// --- lanes and sectors -------------------------------------------------------------------------------------

constexpr int kLanes = 32, kSectorBytes = 32, kFloat = 4;

/// One load instruction of a warp: lane i reads the float `distance` floats behind that of lane i - 1.
struct Load {
  const char* name;
  int distance;
};

std::set<int> sectors_of(const Load& load) {
  std::set<int> sectors;
  for (int lane = 0; lane < kLanes; ++lane) sectors.insert(lane * load.distance * kFloat / kSectorBytes);
  return sectors;
}

double share_used(const Load& load) {
  return 1.0 * kLanes * kFloat / (static_cast<double>(sectors_of(load).size()) * kSectorBytes);
}

constexpr std::array<Load, 3> kLoads = {{{"neighbouring floats: coalesced", 1},
                                         {"every second float", 2},
                                         {"a chunk for each thread: floats far apart", 1000}}};

void load_panel(Svg& svg, double top, const Load& load) {
  constexpr double kLeft = 24, kStep = 22, kLane = 18, kHeight = 16;
  const std::set<int> sectors = sectors_of(load);
  svg.text({kLeft, top}, load.name, "label");
  svg.text({kWidth - 24, top},
           std::to_string(sectors.size()) + " sectors, " + compact(100 * share_used(load)) +
               " % of their bytes used",
           "label", Svg::Anchor::kEnd);
  // The sectors share the width; the lanes keep theirs.
  const double width = 32 * kStep, each = std::min(width / static_cast<double>(sectors.size()), 88.0);
  const double first = kLeft + (width - each * static_cast<double>(sectors.size())) / 2;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int sector = lane * load.distance * kFloat / kSectorBytes;
    const auto place = static_cast<double>(std::distance(sectors.begin(), sectors.find(sector)));
    const double inside = (lane * load.distance * kFloat % kSectorBytes) * (each - 4) / kSectorBytes;
    const double slot = (each - 4) * kFloat / kSectorBytes, x = first + place * each + 2 + inside;
    if (lane == 0 ||
        lane * load.distance * kFloat / kSectorBytes != (lane - 1) * load.distance * kFloat / kSectorBytes)
      svg.box({first + place * each + 2, top + 74}, each - 4, kHeight, "wait", "a sector of 32 bytes");
    svg.box({x, top + 74}, slot, kHeight, "kernel", "the float of lane " + std::to_string(lane));
    svg.box({kLeft + lane * kStep + 2, top + 14}, kLane, kHeight, "call", "lane " + std::to_string(lane));
    svg.line({kLeft + lane * kStep + 2 + kLane / 2, top + 32}, {x + slot / 2, top + 72}, "series");
  }
}

std::string lanes_figure() {
  Svg svg(
      kWidth, 400, "From the lanes of a warp to sectors of memory",
      "One load of a warp's 32 lanes, three times. Neighbouring floats lie in 4 sectors, all bytes of which "
      "are used. Every second float: 8 sectors, half of the bytes. Floats far apart: 32 sectors, an eighth "
      "of the bytes");
  svg.text({24, 24}, "One load of a warp: which sectors it touches", "title");
  svg.text({24, 42},
           "grey: the 32 lanes; orange: sectors of 32 bytes; blue: the 4 bytes that a lane asked for",
           "note");
  double top = 74;
  for (const Load& load : kLoads) {
    load_panel(svg, top, load);
    top += 112;
  }
  return svg.str();
}

// Breaks when the picture of lab 01 no longer shows what its page says: 4 sectors, or 32 of which an eighth
// is used.
TEST(Lanes, SectorsAreThoseOfThePage) {
  EXPECT_EQ(sectors_of(kLoads[0]).size(), 4U);
  EXPECT_EQ(share_used(kLoads[0]), 1);
  EXPECT_EQ(sectors_of(kLoads[1]).size(), 8U);
  EXPECT_EQ(sectors_of(kLoads[2]).size(), 32U);
  EXPECT_EQ(share_used(kLoads[2]), 1.0 / 8);
}

// --- a tile's way ------------------------------------------------------------------------------------------

constexpr int kBanks = 32, kBankBytes = 4, kRowBytes = 16, kRows = 8;

/// The banks that row `row` of 16 bytes covers, rows being `distance` bytes apart.
std::vector<int> banks_of(int row, int distance) {
  std::vector<int> banks;
  for (int byte = 0; byte < kRowBytes; byte += kBankBytes)
    banks.push_back((row * distance + byte) / kBankBytes % kBanks);
  return banks;
}

/// Passes that shared memory needs for eight rows: as many as the busiest bank has rows.
int passes(int distance) {
  std::array<int, kBanks> rows{};
  for (int row = 0; row < kRows; ++row)
    for (const int bank : banks_of(row, distance)) ++rows[static_cast<std::size_t>(bank)];
  return *std::max_element(rows.begin(), rows.end());
}

/// FLOPs a byte of a product's part of `rows` x `columns`, operands in halves.
double tile_intensity(double rows, double columns) { return rows * columns / (rows + columns); }

void nested(Svg& svg, Point corner, double width, double height, int across, int down,
            const std::string& name, const std::string& below) {
  svg.box(corner, width, height, "wait", name);
  svg.box(corner, width / across, height / down, "kernel", "one part of it");
  for (int i = 0; i <= across; ++i)
    svg.line({corner.x + i * width / across, corner.y}, {corner.x + i * width / across, corner.y + height},
             "axis");
  for (int i = 0; i <= down; ++i)
    svg.line({corner.x, corner.y + i * height / down}, {corner.x + width, corner.y + i * height / down},
             "axis");
  svg.text({corner.x, corner.y - 10}, name, "label");
  svg.text({corner.x, corner.y + height + 18}, below, "note");
}

void bank_map(Svg& svg, Point corner, int distance, const std::string& name) {
  constexpr double kCell = 10;
  svg.text({corner.x, corner.y - 10}, name, "label");
  for (int row = 0; row < kRows; ++row) {
    for (int bank = 0; bank <= kBanks; ++bank)
      svg.line({corner.x + bank * kCell, corner.y}, {corner.x + bank * kCell, corner.y + kRows * kCell},
               "grid");
    for (const int bank : banks_of(row, distance))
      svg.box({corner.x + bank * kCell + 0.5, corner.y + row * kCell + 0.5}, kCell - 1, kCell - 1, "kernel",
              "row " + std::to_string(row) + ", bank " + std::to_string(bank));
  }
  for (const int bank : {0, 8, 16, 24})
    svg.text({corner.x + bank * kCell, corner.y + kRows * kCell + 14}, std::to_string(bank), "tick");
  const int n = passes(distance);
  svg.text({corner.x + kBanks * kCell, corner.y + kRows * kCell + 14},
           std::to_string(n) + (n == 1 ? " pass" : " passes"), "label", Svg::Anchor::kEnd);
}

std::string tile_figure() {
  Svg svg(
      kWidth, 420, "A tile's way from the block to the fragment, and the banks it is read from",
      "A block's 128 x 256 of C is divided among eight warps of 64 x 64, a warp's part into 16 fragments of "
      "16 x 16. Below, eight rows of 16 bytes on the 32 banks of shared memory: 512 bytes apart all begin in "
      "bank 0 and take eight passes, with 8 halves of padding they cover all banks once and take one pass");
  svg.text({24, 24}, "Lab 04: block, warp, fragment", "title");
  svg.text({24, 42},
           "blue: one part, which is drawn again to the right; FLOP/B: what it does with each byte read",
           "note");
  nested(svg, {24, 84}, 256, 128, 4, 2, "block: 128 x 256 of C",
         "from L2: " + compact(tile_intensity(128, 256)) + " FLOP/B");
  nested(svg, {336, 84}, 128, 128, 4, 4, "warp: 64 x 64",
         "from shared memory: " + compact(tile_intensity(64, 64)) + " FLOP/B");
  nested(svg, {552, 84}, 128, 128, 16, 16, "fragment: 16 x 16", "8 elements a lane, in registers");
  svg.line({88, 84}, {336, 84}, "knee");
  svg.line({88, 148}, {336, 212}, "knee");
  svg.line({368, 84}, {552, 84}, "knee");
  svg.line({368, 116}, {552, 212}, "knee");
  svg.text({24, 268}, "Eight rows of 16 bytes in 32 banks of shared memory", "title");
  bank_map(svg, {24, 308}, 512, "rows 512 bytes apart: all begin in bank 0");
  bank_map(svg, {400, 308}, 512 + 16, "with 8 halves of padding: 528 bytes apart");
  return svg.str();
}

// Breaks when the page of lab 04 and its picture disagree about padding or intensities.
TEST(Tile, BanksAndIntensitiesAreThoseOfThePage) {
  EXPECT_EQ(passes(512), 8);
  EXPECT_EQ(passes(512 + 16), 1);
  EXPECT_EQ(passes(512 + 32), 2);
  EXPECT_NEAR(tile_intensity(128, 256), 85, 0.5);
  EXPECT_EQ(tile_intensity(64, 64), 32);
  EXPECT_EQ(tile_intensity(32, 32), 16);
}

// --- stages ------------------------------------------------------------------------------------------------

/// When a tile's copy and its multiplication begin and end.
struct TileTimes {
  double asked, there, begin, end;
};

/// A block that multiplies `tiles` tiles, 1 long each, with copies that take `copy` each and `stages` places
/// in shared memory. A copy is asked for when the tile that was in its place is finished; a multiplication
/// begins when its copy is there and the one before it has ended.
std::vector<TileTimes> schedule(int tiles, int stages, double copy) {
  std::vector<TileTimes> times;
  for (int t = 0; t < tiles; ++t) {
    const double free = t < stages ? 0 : times[static_cast<std::size_t>(t - stages)].end;
    const double there = free + copy, before = t == 0 ? 0 : times.back().end;
    times.push_back({free, there, std::max(there, before), std::max(there, before) + 1});
  }
  return times;
}

constexpr int kTiles = 6;
constexpr double kCopy = 2;  // as long as two multiplications

void stages_panel(Svg& svg, double top, int stages, const std::string& name) {
  constexpr double kLeft = 116, kUnit = 34, kRow = 18;
  const std::vector<TileTimes> times = schedule(kTiles, stages, kCopy);
  svg.text({24, top}, name, "label");
  for (int s = 0; s < stages; ++s)
    svg.text({kLeft - 8, top + 27 + s * kRow}, "stage " + std::to_string(s), "note", Svg::Anchor::kEnd);
  svg.text({kLeft - 8, top + 27 + stages * kRow}, "Tensor Cores", "note", Svg::Anchor::kEnd);
  for (int t = 0; t < kTiles; ++t) {
    const TileTimes& at = times[static_cast<std::size_t>(t)];
    const std::string number = std::to_string(t);
    const double y = top + 14 + t % stages * kRow;
    svg.box({kLeft + at.asked * kUnit + 1, y}, (at.there - at.asked) * kUnit - 2, kRow - 3, "copy",
            "tile " + number + " is copied");
    svg.text({kLeft + (at.asked + at.there) / 2 * kUnit, y + 12}, number, "label", Svg::Anchor::kMiddle);
    const double below = top + 14 + stages * kRow;
    svg.box({kLeft + at.begin * kUnit + 1, below}, (at.end - at.begin) * kUnit - 2, kRow - 3, "kernel",
            "tile " + number + " is multiplied");
    svg.text({kLeft + (at.begin + at.end) / 2 * kUnit, below + 28}, number, "tick", Svg::Anchor::kMiddle);
  }
  svg.text({kLeft + times.back().end * kUnit + 8, top + 27 + stages * kRow}, compact(times.back().end),
           "label");
}

std::string stages_figure() {
  Svg svg(kWidth, 380, "Copies in one, two and three stages",
          "Six tiles, whose copies take twice as long as their multiplications. With one stage copies and "
          "multiplications take turns: 18 units. With two stages 10, with three stages 8: after the first "
          "copy the "
          "Tensor Cores never wait");
  svg.text({24, 24}, "Six tiles through one, two and three stages of shared memory", "title");
  svg.text(
      {24, 42},
      "green: a copy on its way (cp.async), twice as long as a multiplication; blue: Tensor Cores at work; "
      "at the end: the time",
      "note");
  stages_panel(svg, 72, 1, "one stage: copy, wait, multiply");
  stages_panel(svg, 158, 2, "two stages");
  stages_panel(svg, 262, 3, "three stages: two copies on their way");
  return svg.str();
}

// Breaks when the picture's rule gives other times than its description says.
TEST(Stages, ThreeHideTheCopies) {
  EXPECT_EQ(schedule(kTiles, 1, kCopy).back().end, 18);
  EXPECT_EQ(schedule(kTiles, 2, kCopy).back().end, 10);
  const std::vector<TileTimes> three = schedule(kTiles, 3, kCopy);
  EXPECT_EQ(three.back().end, 8);
  for (std::size_t t = 1; t < three.size(); ++t) EXPECT_EQ(three[t].begin, three[t - 1].end) << t;
}

// Break when the rules above change and the pictures do not.
TEST(Page, LanesFigureIsCurrent) { expect_current(kRoot / "labs/01-pointwise/lanes.svg", lanes_figure()); }
TEST(Page, TileFigureIsCurrent) { expect_current(kRoot / "labs/04-gemm/tile.svg", tile_figure()); }
TEST(Page, StagesFigureIsCurrent) { expect_current(kRoot / "labs/04-gemm/stages.svg", stages_figure()); }

}  // namespace
}  // namespace roofline::docs::kernel_pictures
