// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/result/lane_picture.h"
#include "grader/text/svg.h"

/// Pictures of what threads do. All are 400 wide: as large on a telephone as on a screen.
namespace roofline::grader {

/// Lanes to sectors, or to banks: which bytes are asked for, and what else is moved.
Svg lane_figure(const LaneRequest& request);
/// Which lanes of the warp are active, instruction by instruction, from above.
Svg active_lanes_figure(const LanePictures& pictures);
/// Which thread wrote which element, `columns` elements in a row.
Svg writers_figure(const LanePictures& pictures, unsigned columns);

/// What that figure shows as a sentence: how many elements by how many threads, and which were written twice.
std::string writers_sentence(const LanePictures& pictures);
std::string active_lanes_sentence(const LanePictures& pictures);

/// Words that a request touches in each bank: word, and the first lane that asks for it with how many others.
struct BankWord {
  std::int64_t word = 0;
  unsigned lane = 0, others = 0;
};
std::vector<std::vector<BankWord>> words_by_bank(const LaneRequest& request);

/// Rows of 64 bytes that hold the sectors a request touches. A cell is `bytes` wide.
struct SectorCell {
  bool moved = false;             ///< its sector is touched
  int lane = -1;                  ///< the first that asks for it; -1: nobody
  unsigned others = 0, span = 1;  ///< lanes beside it; cells that the lane's access covers
};
struct SectorRow {
  std::int64_t offset = 0;  ///< of its first byte, from the beginning of the place
  std::vector<SectorCell> cells;
};
inline constexpr std::int64_t kRowBytes = 64;
unsigned cell_bytes(const LaneRequest& request);
std::vector<SectorRow> sector_rows(const LaneRequest& request);

}  // namespace roofline::grader
