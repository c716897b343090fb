// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Pictures of what the lanes of a warp do, and the names of counters.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "grader/result/counter_names.h"
#include "grader/result/lane_figure.h"
#include "grader/result/lane_text.h"

namespace roofline::grader {
namespace {

LaneRequest request(std::int64_t stride, unsigned width, bool shared = false, std::int64_t phase = 0) {
  LaneRequest made{.line = 7,
                   .what = "load",
                   .place = "argument 1",
                   .shared = shared,
                   .width = width,
                   .mask = ~0u,
                   .offsets = {},
                   .phase = phase,
                   .cost = 0,
                   .ideal = 0};
  for (unsigned lane = 0; lane < kLanes; ++lane) made.offsets.push_back(stride * lane);
  return made;
}

size_t moved_sectors(const LaneRequest& made) {
  const size_t cells = static_cast<size_t>(kSectorBytes) / cell_bytes(made);
  size_t sectors = 0;
  for (const SectorRow& row : sector_rows(made))
    for (size_t cell = 0; cell < row.cells.size(); cell += cells) sectors += row.cells[cell].moved ? 1 : 0;
  return sectors;
}

// Breaks when the picture shows other sectors than an access touches.
TEST(Lanes, SectorsOfEachWidthAndStride) {
  EXPECT_EQ(moved_sectors(request(4, 4)), 4u);
  EXPECT_EQ(moved_sectors(request(128, 4)), 32u);
  EXPECT_EQ(moved_sectors(request(16, 16)), 16u);
  EXPECT_EQ(moved_sectors(request(2, 2)), 2u);
  EXPECT_EQ(moved_sectors(request(0, 4)), 1u);
  EXPECT_EQ(moved_sectors(request(4, 4, false, 4)), 5u) << "four bytes off a line: one sector more";
  EXPECT_EQ(moved_sectors(request(-4, 4)), 5u);
}

TEST(Lanes, RowsBeginAtMultiplesOf64BytesOfMemory) {
  const std::vector<SectorRow> rows = sector_rows(request(4, 4, false, 4));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].offset, -4);
  EXPECT_EQ(rows[0].cells[0].lane, -1);
  EXPECT_EQ(rows[0].cells[1].lane, 0);
}

TEST(Lanes, WordsOfEachBank) {
  const auto conflict = words_by_bank(request(128, 4, true));
  EXPECT_EQ(conflict[0].size(), 32u);
  EXPECT_TRUE(conflict[1].empty());
  const auto clean = words_by_bank(request(132, 4, true));
  for (const auto& words : clean) EXPECT_EQ(words.size(), 1u);
  const auto broadcast = words_by_bank(request(0, 4, true));
  ASSERT_EQ(broadcast[0].size(), 1u);
  EXPECT_EQ(broadcast[0][0].others, 31u);
}

TEST(Lanes, SentencesSayWhatIsWasted) {
  LaneRequest strided = request(128, 4);
  strided.cost = 32;
  strided.ideal = 4;
  EXPECT_EQ(lane_sentence(strided),
            "load of 4 bytes a lane, 32 lanes, argument 1: 32 sectors of 32 bytes, 4 would do; of 1024 bytes "
            "moved 128 are used");
  LaneRequest tile = request(128, 4, true);
  tile.place = "shared memory";
  tile.cost = 32;
  tile.ideal = 1;
  EXPECT_NE(lane_sentence(tile).find("32 different words lie in bank 0"), std::string::npos);
  EXPECT_EQ(most_wasteful({request(4, 4), strided, tile}), 2u);
  EXPECT_EQ(most_wasteful({}), 0u);
}

LanePictures pictures() {
  LanePictures made;
  made.file = "k.cu";
  made.line = 7;
  made.requests = {request(128, 4)};
  made.requests[0].cost = 32;
  made.requests[0].ideal = 4;
  made.all_requests = 1;
  made.steps = {{7, ~0u, 3}, {8, 0xff, 1}};
  made.all_steps = 4;
  made.written_place = "argument 2";
  made.written_width = 4;
  for (unsigned i = 0; i < 40; ++i) made.writers.push_back({i, i / 32, i % 32});
  made.writers.push_back({3, 1, 5});
  return made;
}

// Breaks when a picture says nothing to somebody who does not see it.
TEST(Lanes, FiguresHaveATitleAndADescription) {
  const LanePictures made = pictures();
  for (const Svg& svg :
       {lane_figure(made.requests[0]), active_lanes_figure(made), writers_figure(made, 16)}) {
    const std::string text = svg.str();
    EXPECT_NE(text.find("role=\"img\""), std::string::npos);
    const size_t at = text.find("<desc>");
    ASSERT_NE(at, std::string::npos);
    EXPECT_GT(text.find("</desc>") - at, 40u) << text.substr(0, 300);
    EXPECT_NE(text.find("viewBox=\"0 0 400 "), std::string::npos) << "as wide as a telephone";
  }
  EXPECT_NE(writers_figure(made, 16).str().find("element 3: thread 3 of block 0, and another thread"),
            std::string::npos);
}

TEST(Lanes, TextFitsATerminal) {
  for (const bool utf8 : {false, true}) {
    const Terminal terminal{.interactive = false, .colour = false, .utf8 = utf8, .width = 80};
    const std::string text = lane_text(pictures(), 0, 16, terminal);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80) << line;
    EXPECT_NE(text.find("Request 1 of 1"), std::string::npos);
    EXPECT_NE(text.find("element 3 by thread"), std::string::npos) << text;
  }
}

// Breaks when the page names another metric than --help and the report.
TEST(CounterNames, ThePageHasEachOfThem) {
  std::ifstream page(ROOFLINE_SOURCE "/docs/counters.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);) rows.push_back(line);
  for (const CounterName& each : counter_names()) {
    const auto row = std::ranges::find_if(rows, [&](const std::string& line) {
      return line.starts_with("| `" + std::string(each.column) + "` |");
    });
    ASSERT_NE(row, rows.end()) << each.column;
    std::istringstream words{std::string(each.ncu)};
    for (std::string word; words >> word;)
      if (word.size() > 1) {
        EXPECT_NE(row->find("`" + word + "`"), std::string::npos) << *row;
      }
    EXPECT_NE(counter_names_text().find(each.ncu), std::string::npos);
  }
  EXPECT_THROW(ncu_name("none"), std::out_of_range);
}

}  // namespace
}  // namespace roofline::grader
